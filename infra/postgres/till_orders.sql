-- Rendered from the contract till_orders 1.0.0: change that, then run `make render`.
-- not enforced here: amount: more than 2 decimals are rounded, not refused.
CREATE SCHEMA IF NOT EXISTS "warehouse";
CREATE TABLE IF NOT EXISTS "warehouse"."till_orders" (
    "order_id" integer NOT NULL,
    "customer_id" text NOT NULL,
    "amount" numeric(10,2) NOT NULL,
    "ordered_at" timestamp with time zone NOT NULL,
    "first_run_id" text NOT NULL,
    "last_run_id" text NOT NULL,
    "loaded_at" timestamp with time zone NOT NULL,
    PRIMARY KEY ("order_id"),
    CONSTRAINT "missing_customer_id" CHECK (strpos(E'\u0009\u000A\u000B\u000C\u000D \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\u200B\uFEFF', left("customer_id", 1)) = 0 AND strpos(E'\u0009\u000A\u000B\u000C\u000D \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\u200B\uFEFF', right("customer_id", 1)) = 0),
    CONSTRAINT "amount_out_of_range" CHECK ("amount" >= 0.01 AND "amount" <> 'NaN'),
    CONSTRAINT "ordered_at_calendar" CHECK ("ordered_at" >= TIMESTAMPTZ '0001-01-01 00:00:00+00' AND "ordered_at" < TIMESTAMPTZ '10000-01-01 00:00:00+00')
);
COMMENT ON TABLE "warehouse"."till_orders" IS 'One order of a till. Orders of a day come in one file, after closing time. Contract till_orders 1.0.0, owner till-team.';
COMMENT ON COLUMN "warehouse"."till_orders"."order_id" IS 'The till''s number of the order. PII: none.';
COMMENT ON COLUMN "warehouse"."till_orders"."customer_id" IS 'The customer''s number in the loyalty programme. PII: pseudonymised.';
COMMENT ON COLUMN "warehouse"."till_orders"."amount" IS 'The sum paid, in euros. PII: none.';
COMMENT ON COLUMN "warehouse"."till_orders"."ordered_at" IS 'When the order was closed. PII: none.';
COMMENT ON COLUMN "warehouse"."till_orders"."first_run_id" IS 'The run that inserted the row. PII: none.';
COMMENT ON COLUMN "warehouse"."till_orders"."last_run_id" IS 'The run that last wrote the row. PII: none.';
COMMENT ON COLUMN "warehouse"."till_orders"."loaded_at" IS 'When that run wrote it. PII: none.';
