-- Rendered from the contract till_orders 1.0.0: change that, then run `make render`.
select
    "order_id",
    "customer_id",
    "amount",
    "ordered_at",
    "first_run_id",
    "last_run_id",
    "loaded_at"
from {{ source('warehouse', 'till_orders') }}
