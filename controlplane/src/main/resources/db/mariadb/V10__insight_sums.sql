-- Sums of a day, kept with the deliveries: of a project, and of each label in it. A scope is a digest of what it is of.
CREATE TABLE IF NOT EXISTS DeliverySum (
    Scope CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    Day BIGINT NOT NULL,
    Completed BIGINT NOT NULL,
    Failed BIGINT NOT NULL,
    Leads BIGINT NOT NULL,
    LeadTime BIGINT NOT NULL,
    Restores BIGINT NOT NULL,
    RestoreTime BIGINT NOT NULL,
    PRIMARY KEY (Scope, Day)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Behind which delivery those from before there were sums are added to them.
CREATE TABLE IF NOT EXISTS DeliverySumMark (
    Id INT NOT NULL PRIMARY KEY,
    Reached VARCHAR(255) NOT NULL,
    Complete TINYINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

INSERT INTO DeliverySumMark (Id, Reached, Complete) VALUES (1, '', 0) ON DUPLICATE KEY UPDATE Id = Id;

-- 1 before a delivery is in the sums, 2 since. A server that does not know of them, and still runs beside newer ones, is refused: these count what it cannot.
ALTER TABLE Delivery ADD COLUMN Summed TINYINT NOT NULL DEFAULT 1 CHECK (Summed > 0);
ALTER TABLE Delivery ALTER COLUMN Summed SET DEFAULT 0;
