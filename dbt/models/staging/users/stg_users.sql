-- One row a person, as loaded, with what is told from a single row.
select
    user_id,
    name,
    email,
    phone,
    zip_code,
    age,
    city,
    lower(split_part(email, '@', 2)) as email_domain,
    case
        when age between 18 and 24 then '18-24'
        when age between 25 and 34 then '25-34'
        when age between 35 and 44 then '35-44'
        when age between 45 and 54 then '45-54'
        when age between 55 and 64 then '55-64'
        when age between 65 and 99 then '65-99'
    end as age_band,
    first_run_id,
    last_run_id,
    loaded_at
from {{ source('warehouse', 'users') }}
