-- Rendered from the contract transactions 2.1.0: change that, then run `make render`.
-- not enforced here: amount: more than 2 decimals are rounded, not refused.
-- not enforced here: transaction_date_check_2: a constraint cannot look at the clock, and the expression does.
-- not enforced here: no_duplicates: it looks at all rows of a run.
-- not enforced here: completeness: it looks at all rows of a run.
-- not enforced here: pending_share: it looks at all rows of a run.
CREATE SCHEMA IF NOT EXISTS "warehouse";
CREATE TABLE IF NOT EXISTS "warehouse"."transactions" (
    "transaction_id" bigint NOT NULL,
    "customer_id" bigint NOT NULL,
    "amount" numeric(18,2) NOT NULL,
    "transaction_date" date NOT NULL,
    "status" text NOT NULL,
    "currency" text NOT NULL,
    "first_run_id" text NOT NULL,
    "last_run_id" text NOT NULL,
    "loaded_at" timestamp with time zone NOT NULL,
    PRIMARY KEY ("transaction_id"),
    CONSTRAINT "amount_check_1" CHECK ("amount" IS NULL OR (("amount" > 0.00)) IS TRUE),
    CONSTRAINT "amount_check_2" CHECK ("amount" IS NULL OR (("amount" < 1000000.00)) IS TRUE),
    CONSTRAINT "amount_number" CHECK ("amount" <> 'NaN'),
    CONSTRAINT "transaction_date_check_1" CHECK ("transaction_date" IS NULL OR (("transaction_date" >= DATE '2020-01-01')) IS TRUE),
    CONSTRAINT "transaction_date_calendar" CHECK ("transaction_date" BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'),
    CONSTRAINT "status_not_allowed" CHECK ("status" IN ('completed', 'pending', 'failed', 'reversed')),
    CONSTRAINT "currency_bad_format" CHECK ("currency" ~ '^(?:[A-Z]{3})$')
);
COMMENT ON TABLE "warehouse"."transactions" IS 'Card payments from the banking core. Contract transactions 2.1.0, owner backend-team.';
COMMENT ON COLUMN "warehouse"."transactions"."transaction_id" IS 'Unique payment number. PII: none.';
COMMENT ON COLUMN "warehouse"."transactions"."customer_id" IS 'The customer who paid. PII: pseudonymised.';
COMMENT ON COLUMN "warehouse"."transactions"."amount" IS 'The sum, in the payment''s currency. PII: none.';
COMMENT ON COLUMN "warehouse"."transactions"."transaction_date" IS 'The day of the payment, UTC. PII: none.';
COMMENT ON COLUMN "warehouse"."transactions"."status" IS 'Where the payment stands. PII: none.';
COMMENT ON COLUMN "warehouse"."transactions"."currency" IS 'ISO 4217 code. PII: none.';
COMMENT ON COLUMN "warehouse"."transactions"."first_run_id" IS 'The run that inserted the row. PII: none.';
COMMENT ON COLUMN "warehouse"."transactions"."last_run_id" IS 'The run that last wrote the row. PII: none.';
COMMENT ON COLUMN "warehouse"."transactions"."loaded_at" IS 'When that run wrote it. PII: none.';
