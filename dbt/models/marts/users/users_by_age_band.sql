-- How many people each age band has.
select
    age_band,
    count(*) as users,
    count(distinct city) as cities
from {{ ref('stg_users') }}
group by age_band
