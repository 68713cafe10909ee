-- By which request, as logs and answers tell it.
ALTER TABLE `Change` ADD COLUMN RequestId VARCHAR(64) NOT NULL DEFAULT '';
