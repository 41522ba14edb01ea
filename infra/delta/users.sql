-- Rendered from the contract users 1.0.0: change that, then run `make render`.
-- not enforced here: user_id: Delta keeps rows that have one key.
CREATE SCHEMA IF NOT EXISTS `warehouse`;
CREATE TABLE IF NOT EXISTS `warehouse`.`users` (
    `user_id` STRING NOT NULL COMMENT 'Who the person is, without saying it. PII: pseudonymised.',
    `name` STRING NOT NULL COMMENT 'Full name, as the person wrote it. PII: direct identifier.',
    `email` STRING NOT NULL COMMENT 'E-mail address. PII: direct identifier.',
    `phone` STRING NOT NULL COMMENT 'Greek mobile number, ten digits. PII: direct identifier.',
    `zip_code` STRING NOT NULL COMMENT 'Greek postcode, five digits; text, since it may begin with 0. PII: quasi-identifier.',
    `age` INT NOT NULL COMMENT 'Age in whole years. PII: quasi-identifier.',
    `city` STRING NOT NULL COMMENT 'City or town. PII: quasi-identifier.',
    `record_number` BIGINT NOT NULL COMMENT 'The record in its file, counted from 1.',
    `run_id` STRING NOT NULL COMMENT 'The run that brought the row.'
)
USING DELTA
COMMENT 'People who signed up. One row a person; a person is told by name, e-mail and phone together. Contract users 1.0.0, owner data-platform.';
ALTER TABLE `warehouse`.`users` DROP CONSTRAINT IF EXISTS `invalid_name`;
ALTER TABLE `warehouse`.`users` ADD CONSTRAINT `invalid_name` CHECK (`name` RLIKE '^(?:[^\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200b}\\x{2028}-\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}](?:[\\s\\S]*[^\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200b}\\x{2028}-\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}])?)\\z');
ALTER TABLE `warehouse`.`users` DROP CONSTRAINT IF EXISTS `invalid_email`;
ALTER TABLE `warehouse`.`users` ADD CONSTRAINT `invalid_email` CHECK (`email` RLIKE '^(?:[\\%\\+\\--\\.0-9A-Z_a-z]+\\@[\\--\\.0-9A-Za-z]+\\.[A-Za-z]{2,})\\z');
ALTER TABLE `warehouse`.`users` DROP CONSTRAINT IF EXISTS `invalid_phone`;
ALTER TABLE `warehouse`.`users` ADD CONSTRAINT `invalid_phone` CHECK (`phone` RLIKE '^(?:69[0-9]{8})\\z');
ALTER TABLE `warehouse`.`users` DROP CONSTRAINT IF EXISTS `invalid_zip_code`;
ALTER TABLE `warehouse`.`users` ADD CONSTRAINT `invalid_zip_code` CHECK (`zip_code` RLIKE '^(?:[0-9]{5})\\z');
ALTER TABLE `warehouse`.`users` DROP CONSTRAINT IF EXISTS `invalid_age`;
ALTER TABLE `warehouse`.`users` ADD CONSTRAINT `invalid_age` CHECK (`age` BETWEEN 18L AND 99L);
ALTER TABLE `warehouse`.`users` DROP CONSTRAINT IF EXISTS `invalid_city`;
ALTER TABLE `warehouse`.`users` ADD CONSTRAINT `invalid_city` CHECK (`city` RLIKE '^(?:[^\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200b}\\x{2028}-\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}](?:[\\s\\S]*[^\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200b}\\x{2028}-\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}])?)\\z');
ALTER TABLE `warehouse`.`users` DROP CONSTRAINT IF EXISTS `user_id_format`;
ALTER TABLE `warehouse`.`users` ADD CONSTRAINT `user_id_format` CHECK (`user_id` RLIKE '^[0-9a-f]{32}\\z');
