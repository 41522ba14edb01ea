-- Rendered from the contract transactions 2.1.0: change that, then run `make render`.
select
    "transaction_id",
    "customer_id",
    "amount",
    "transaction_date",
    "status",
    "currency",
    "first_run_id",
    "last_run_id",
    "loaded_at"
from {{ source('warehouse', 'transactions') }}
