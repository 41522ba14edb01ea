-- How many people each city has. Nobody can be told from it by name, e-mail or phone.
select
    city,
    count(*) as users
from {{ ref('stg_users') }}
group by city
