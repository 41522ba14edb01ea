-- Rendered from the contract transactions 2.1.0: change that, then run `make render`.
-- who writes to it needs spark.sql.session.timeZone = UTC
-- who writes to it needs spark.sql.decimalOperations.allowPrecisionLoss = false
-- not enforced here: transaction_id: Delta keeps rows that have one key.
-- not enforced here: duplicate_transaction_id: it looks at every row of a file, and a condition sees one.
-- not enforced here: transaction_date_check_2: it looks at the clock, and rows are judged by the clock of their run.
-- not enforced here: amount: more than 2 decimals are rounded, not refused.
-- not enforced here: no_duplicates: it looks at all rows of a run.
-- not enforced here: completeness: it looks at all rows of a run.
-- not enforced here: pending_share: it looks at all rows of a run.
CREATE SCHEMA IF NOT EXISTS `warehouse`;
CREATE TABLE IF NOT EXISTS `warehouse`.`transactions` (
    `transaction_id` BIGINT NOT NULL COMMENT 'Unique payment number. PII: none.',
    `customer_id` BIGINT NOT NULL COMMENT 'The customer who paid. PII: pseudonymised.',
    `amount` DECIMAL(18,2) NOT NULL COMMENT 'The sum, in the payment\'s currency. PII: none.',
    `transaction_date` DATE NOT NULL COMMENT 'The day of the payment, UTC. PII: none.',
    `status` STRING NOT NULL COMMENT 'Where the payment stands. PII: none.',
    `currency` STRING NOT NULL COMMENT 'ISO 4217 code. PII: none.',
    `record_number` BIGINT NOT NULL COMMENT 'The record in its file, counted from 1.',
    `run_id` STRING NOT NULL COMMENT 'The run that brought the row.'
)
USING DELTA
COMMENT 'Card payments from the banking core. Contract transactions 2.1.0, owner backend-team.';
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `missing_transaction_id`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `missing_transaction_id` CHECK (`transaction_id` IS NOT NULL);
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `missing_customer_id`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `missing_customer_id` CHECK (`customer_id` IS NOT NULL);
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `missing_amount`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `missing_amount` CHECK (`amount` IS NOT NULL);
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `amount_check_1`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `amount_check_1` CHECK (`amount` IS NULL OR (((`amount`) > 0.00BD)));
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `amount_check_2`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `amount_check_2` CHECK (`amount` IS NULL OR (((`amount`) < 1000000.00BD)));
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `missing_transaction_date`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `missing_transaction_date` CHECK (`transaction_date` IS NOT NULL);
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `transaction_date_check_1`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `transaction_date_check_1` CHECK (`transaction_date` IS NULL OR (((`transaction_date`) >= DATE '2020-01-01')));
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `missing_status`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `missing_status` CHECK (`status` IS NOT NULL);
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `status_not_allowed`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `status_not_allowed` CHECK (`status` IS NULL OR (`status` IN ('completed', 'pending', 'failed', 'reversed')));
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `missing_currency`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `missing_currency` CHECK (`currency` IS NOT NULL);
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `currency_bad_format`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `currency_bad_format` CHECK (`currency` IS NULL OR (`currency` RLIKE '^(?:[A-Z]{3})\\z'));
ALTER TABLE `warehouse`.`transactions` DROP CONSTRAINT IF EXISTS `transaction_date_calendar`;
ALTER TABLE `warehouse`.`transactions` ADD CONSTRAINT `transaction_date_calendar` CHECK (`transaction_date` IS NULL OR (`transaction_date` BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'));
