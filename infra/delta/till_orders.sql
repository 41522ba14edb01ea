-- Rendered from the contract till_orders 1.0.0: change that, then run `make render`.
-- not enforced here: order_id: Delta keeps rows that have one key.
-- not enforced here: duplicate_order_id: it looks at every row of a file, and a condition sees one.
-- not enforced here: amount: more than 2 decimals are rounded, not refused.
CREATE SCHEMA IF NOT EXISTS `warehouse`;
CREATE TABLE IF NOT EXISTS `warehouse`.`till_orders` (
    `order_id` INT NOT NULL COMMENT 'The till\'s number of the order. PII: none.',
    `customer_id` STRING NOT NULL COMMENT 'The customer\'s number in the loyalty programme. PII: pseudonymised.',
    `amount` DECIMAL(10,2) NOT NULL COMMENT 'The sum paid, in euros. PII: none.',
    `ordered_at` TIMESTAMP NOT NULL COMMENT 'When the order was closed. PII: none.',
    `record_number` BIGINT NOT NULL COMMENT 'The record in its file, counted from 1.',
    `run_id` STRING NOT NULL COMMENT 'The run that brought the row.'
)
USING DELTA
COMMENT 'One order of a till. Orders of a day come in one file, after closing time. Contract till_orders 1.0.0, owner till-team.';
ALTER TABLE `warehouse`.`till_orders` DROP CONSTRAINT IF EXISTS `missing_order_id`;
ALTER TABLE `warehouse`.`till_orders` ADD CONSTRAINT `missing_order_id` CHECK (`order_id` IS NOT NULL);
ALTER TABLE `warehouse`.`till_orders` DROP CONSTRAINT IF EXISTS `missing_customer_id`;
ALTER TABLE `warehouse`.`till_orders` ADD CONSTRAINT `missing_customer_id` CHECK (`customer_id` RLIKE '^(?:[^\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200b}\\x{2028}-\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}](?:[\\s\\S]*[^\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200b}\\x{2028}-\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}])?)\\z');
ALTER TABLE `warehouse`.`till_orders` DROP CONSTRAINT IF EXISTS `missing_amount`;
ALTER TABLE `warehouse`.`till_orders` ADD CONSTRAINT `missing_amount` CHECK (`amount` IS NOT NULL);
ALTER TABLE `warehouse`.`till_orders` DROP CONSTRAINT IF EXISTS `amount_out_of_range`;
ALTER TABLE `warehouse`.`till_orders` ADD CONSTRAINT `amount_out_of_range` CHECK (`amount` IS NULL OR (`amount` >= 0.01BD));
ALTER TABLE `warehouse`.`till_orders` DROP CONSTRAINT IF EXISTS `missing_ordered_at`;
ALTER TABLE `warehouse`.`till_orders` ADD CONSTRAINT `missing_ordered_at` CHECK (`ordered_at` IS NOT NULL);
ALTER TABLE `warehouse`.`till_orders` DROP CONSTRAINT IF EXISTS `ordered_at_calendar`;
ALTER TABLE `warehouse`.`till_orders` ADD CONSTRAINT `ordered_at_calendar` CHECK (`ordered_at` IS NULL OR (`ordered_at` BETWEEN TIMESTAMP_LTZ '0001-01-01 00:00:00Z' AND TIMESTAMP_LTZ '9999-12-31 23:59:59.999999Z'));
