-- Rendered from the contract transactions 2.1.0: change that, then run `make render`.
-- not enforced here: any rule; Athena only reads, and the rows it sees have been judged by the pipeline.
-- Put the lake's address, s3://bucket or s3://bucket/prefix, in the place of ${lake}.
-- Athena runs one statement at a time.
CREATE DATABASE IF NOT EXISTS rowgate;

CREATE EXTERNAL TABLE IF NOT EXISTS rowgate.transactions_records (
  `transaction_id` string COMMENT 'Unique payment number. PII: none.',
  `customer_id` string COMMENT 'The customer who paid. PII: pseudonymised.',
  `amount` string COMMENT 'The sum, in the payment\'s currency. PII: none.',
  `transaction_date` string COMMENT 'The day of the payment, UTC. PII: none.',
  `status` string COMMENT 'Where the payment stands. PII: none.',
  `currency` string COMMENT 'ISO 4217 code. PII: none.',
  `raw_record` string COMMENT 'The text of a malformed record, else null. PII: pseudonymised.',
  `record_number` bigint COMMENT 'The record\'s number in its file, from 1. PII: none.',
  `run_id` string COMMENT 'The run that read the file. PII: none.'
)
COMMENT 'Every record of every file, as text, trimmed. Card payments from the banking core. Contract transactions 2.1.0, owner backend-team.'
PARTITIONED BY (`dt` string COMMENT 'The UTC date of the run, YYYY-MM-DD. PII: none.')
ROW FORMAT SERDE 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe'
STORED AS INPUTFORMAT 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat'
OUTPUTFORMAT 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat'
LOCATION '${lake}/records/transactions/'
TBLPROPERTIES (
  'classification' = 'parquet',
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.format' = 'yyyy-MM-dd',
  'projection.dt.range' = '2025-01-01,NOW+1DAYS',
  'projection.dt.interval' = '1',
  'projection.dt.interval.unit' = 'DAYS'
);

CREATE EXTERNAL TABLE IF NOT EXISTS rowgate.transactions_clean (
  `transaction_id` bigint COMMENT 'Unique payment number. PII: none.',
  `customer_id` bigint COMMENT 'The customer who paid. PII: pseudonymised.',
  `amount` decimal(18,2) COMMENT 'The sum, in the payment\'s currency. PII: none.',
  `transaction_date` date COMMENT 'The day of the payment, UTC. PII: none.',
  `status` string COMMENT 'Where the payment stands. PII: none.',
  `currency` string COMMENT 'ISO 4217 code. PII: none.',
  `record_number` bigint COMMENT 'The record\'s number in its file, from 1. PII: none.',
  `run_id` string COMMENT 'The run that read the file. PII: none.'
)
COMMENT 'The accepted rows, typed. Card payments from the banking core. Contract transactions 2.1.0, owner backend-team.'
PARTITIONED BY (`dt` string COMMENT 'The UTC date of the run, YYYY-MM-DD. PII: none.')
ROW FORMAT SERDE 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe'
STORED AS INPUTFORMAT 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat'
OUTPUTFORMAT 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat'
LOCATION '${lake}/clean/transactions/'
TBLPROPERTIES (
  'classification' = 'parquet',
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.format' = 'yyyy-MM-dd',
  'projection.dt.range' = '2025-01-01,NOW+1DAYS',
  'projection.dt.interval' = '1',
  'projection.dt.interval.unit' = 'DAYS'
);

CREATE EXTERNAL TABLE IF NOT EXISTS rowgate.transactions_rejects (
  `transaction_id` string COMMENT 'Unique payment number. PII: none.',
  `customer_id` string COMMENT 'The customer who paid. PII: pseudonymised.',
  `amount` string COMMENT 'The sum, in the payment\'s currency. PII: none.',
  `transaction_date` string COMMENT 'The day of the payment, UTC. PII: none.',
  `status` string COMMENT 'Where the payment stands. PII: none.',
  `currency` string COMMENT 'ISO 4217 code. PII: none.',
  `rejection_reason` string COMMENT 'The first rule that the record broke. PII: none.',
  `rejection_reasons` array<string> COMMENT 'Every rule that the record broke, in the contract\'s order. PII: none.',
  `raw_record` string COMMENT 'The text of a malformed record, else null. PII: pseudonymised.',
  `record_number` bigint COMMENT 'The record\'s number in its file, from 1. PII: none.',
  `run_id` string COMMENT 'The run that read the file. PII: none.',
  `rejected_at` timestamp COMMENT 'When the run judged, UTC. PII: none.'
)
COMMENT 'The rejected rows, as text, each with its reasons. Card payments from the banking core. Contract transactions 2.1.0, owner backend-team.'
PARTITIONED BY (`dt` string COMMENT 'The UTC date of the run, YYYY-MM-DD. PII: none.')
ROW FORMAT SERDE 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe'
STORED AS INPUTFORMAT 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat'
OUTPUTFORMAT 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat'
LOCATION '${lake}/rejects/transactions/'
TBLPROPERTIES (
  'classification' = 'parquet',
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.format' = 'yyyy-MM-dd',
  'projection.dt.range' = '2025-01-01,NOW+1DAYS',
  'projection.dt.interval' = '1',
  'projection.dt.interval.unit' = 'DAYS'
);

CREATE EXTERNAL TABLE IF NOT EXISTS rowgate.transactions_quality (
  `contract` string COMMENT 'The contract. PII: none.',
  `version` string COMMENT 'Its version. PII: none.',
  `run_id` string COMMENT 'The run. PII: none.',
  `source` string COMMENT 'What the file was called. PII: none.',
  `outcome` string COMMENT 'passed, or stopped. PII: none.',
  `total` bigint COMMENT 'Records in the file. PII: none.',
  `accepted` bigint COMMENT 'Rows that broke no rule that rejects. PII: none.',
  `rejected` bigint COMMENT 'The others. PII: none.',
  `accept_rate` double COMMENT 'accepted / total, from 0 to 1; 1 for a file without rows. PII: none.',
  `rejected_by_reason` map<string,bigint> COMMENT 'Rejected rows by their first reason. PII: none.',
  `violations_by_reason` map<string,bigint> COMMENT 'Rejected rows by each of their reasons. PII: none.',
  `warnings_by_reason` map<string,bigint> COMMENT 'Accepted rows by the rules that only warn. PII: none.',
  `quality_rules` array<struct<name:string,value:double,threshold:double,state:string,low:double,allowed:string>> COMMENT 'What the rules about the whole file measured. PII: none.',
  `breaches` array<string> COMMENT 'Why the run was stopped, in sentences. PII: none.',
  `started_at` string COMMENT 'When the judging began, ISO 8601 in UTC. PII: none.',
  `finished_at` string COMMENT 'When it ended, or the load did, ISO 8601 in UTC. PII: none.',
  `inserted` bigint COMMENT 'Rows that were new to the warehouse; null before the load. PII: none.',
  `updated` bigint COMMENT 'Rows that replaced one of the warehouse; null before the load. PII: none.',
  `unchanged` bigint COMMENT 'Rows that the warehouse had; null before the load. PII: none.',
  `repeated` bigint COMMENT 'Rows whose key another row of the file has; null before the load. PII: none.'
)
COMMENT 'One row a run: its report. Card payments from the banking core. Contract transactions 2.1.0, owner backend-team.'
PARTITIONED BY (`dt` string COMMENT 'The UTC date of the run, YYYY-MM-DD. PII: none.')
ROW FORMAT SERDE 'org.apache.hive.hcatalog.data.JsonSerDe'
STORED AS INPUTFORMAT 'org.apache.hadoop.mapred.TextInputFormat'
OUTPUTFORMAT 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat'
LOCATION '${lake}/quality/transactions/'
TBLPROPERTIES (
  'classification' = 'json',
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.format' = 'yyyy-MM-dd',
  'projection.dt.range' = '2025-01-01,NOW+1DAYS',
  'projection.dt.interval' = '1',
  'projection.dt.interval.unit' = 'DAYS'
);
