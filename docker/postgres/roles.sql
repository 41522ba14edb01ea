-- Run once by the Postgres image, when its volume is empty: who may do what. Passwords come by the environment.
-- A role is the owner of its own database, and nobody else but the superuser enters it.
\getenv airflow_password AIRFLOW_DB_PASSWORD
\getenv warehouse_password WAREHOUSE_PASSWORD
\getenv reader_password WAREHOUSE_READER_PASSWORD

CREATE ROLE airflow LOGIN PASSWORD :'airflow_password';
CREATE DATABASE airflow OWNER airflow;
REVOKE CONNECT ON DATABASE airflow FROM PUBLIC;

CREATE ROLE warehouse LOGIN PASSWORD :'warehouse_password';
CREATE DATABASE warehouse OWNER warehouse;
REVOKE CONNECT ON DATABASE warehouse FROM PUBLIC;

-- The dashboard's. dbt makes the marts anew for each run, so a grant on a table would not last.
CREATE ROLE reader LOGIN PASSWORD :'reader_password';
GRANT CONNECT ON DATABASE warehouse TO reader;
GRANT pg_read_all_data TO reader;
ALTER ROLE reader SET default_transaction_read_only = on;
