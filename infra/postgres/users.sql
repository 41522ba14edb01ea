-- Rendered from the contract users 1.0.0: change that, then run `make render`.
CREATE SCHEMA IF NOT EXISTS "warehouse";
CREATE TABLE IF NOT EXISTS "warehouse"."users" (
    "user_id" text COLLATE "C" NOT NULL,
    "name" text NOT NULL,
    "email" text NOT NULL,
    "phone" text NOT NULL,
    "zip_code" text NOT NULL,
    "age" integer NOT NULL,
    "city" text NOT NULL,
    "first_run_id" text NOT NULL,
    "last_run_id" text NOT NULL,
    "loaded_at" timestamp with time zone NOT NULL,
    PRIMARY KEY ("user_id"),
    CONSTRAINT "user_id_format" CHECK (octet_length("user_id") = 32 AND "user_id" ~ '^[0-9a-f]*$'),
    CONSTRAINT "invalid_name" CHECK (strpos(E'\u0009\u000A\u000B\u000C\u000D \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\u200B\uFEFF', left("name", 1)) = 0 AND strpos(E'\u0009\u000A\u000B\u000C\u000D \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\u200B\uFEFF', right("name", 1)) = 0),
    CONSTRAINT "invalid_email" CHECK ("email" ~ '^(?:[\%\+\--\.0-9A-Z_a-z]+\@[\--\.0-9A-Za-z]+\.[A-Za-z]{2,})$'),
    CONSTRAINT "invalid_phone" CHECK ("phone" ~ '^(?:69[0-9]{8})$'),
    CONSTRAINT "invalid_zip_code" CHECK ("zip_code" ~ '^(?:[0-9]{5})$'),
    CONSTRAINT "invalid_age" CHECK ("age" >= 18 AND "age" <= 99),
    CONSTRAINT "invalid_city" CHECK (strpos(E'\u0009\u000A\u000B\u000C\u000D \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\u200B\uFEFF', left("city", 1)) = 0 AND strpos(E'\u0009\u000A\u000B\u000C\u000D \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\u200B\uFEFF', right("city", 1)) = 0)
);
COMMENT ON TABLE "warehouse"."users" IS 'People who signed up. One row a person; a person is told by name, e-mail and phone together. Contract users 1.0.0, owner data-platform.';
COMMENT ON COLUMN "warehouse"."users"."user_id" IS 'Who the person is, without saying it. PII: pseudonymised.';
COMMENT ON COLUMN "warehouse"."users"."name" IS 'Full name, as the person wrote it. PII: direct identifier.';
COMMENT ON COLUMN "warehouse"."users"."email" IS 'E-mail address. PII: direct identifier.';
COMMENT ON COLUMN "warehouse"."users"."phone" IS 'Greek mobile number, ten digits. PII: direct identifier.';
COMMENT ON COLUMN "warehouse"."users"."zip_code" IS 'Greek postcode, five digits; text, since it may begin with 0. PII: quasi-identifier.';
COMMENT ON COLUMN "warehouse"."users"."age" IS 'Age in whole years. PII: quasi-identifier.';
COMMENT ON COLUMN "warehouse"."users"."city" IS 'City or town. PII: quasi-identifier.';
COMMENT ON COLUMN "warehouse"."users"."first_run_id" IS 'The run that inserted the row. PII: none.';
COMMENT ON COLUMN "warehouse"."users"."last_run_id" IS 'The run that last wrote the row. PII: none.';
COMMENT ON COLUMN "warehouse"."users"."loaded_at" IS 'When that run wrote it. PII: none.';
