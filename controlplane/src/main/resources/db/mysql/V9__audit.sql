-- What agents report outnumbers all else by far and is not asked for: pages of the others skip it.
ALTER TABLE `Change` ADD COLUMN ByOthers TINYINT GENERATED ALWAYS AS (IF(Via = 'AGENT', 0, 1)) VIRTUAL;
CREATE INDEX Change_Audit ON `Change` (ProjectId, ByOthers, Seq);
