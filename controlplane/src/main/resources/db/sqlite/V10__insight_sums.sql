-- Sums of a day, kept with the deliveries: of a project, and of each label in it. A scope is a digest of what it is of.
CREATE TABLE DeliverySum (
    Scope TEXT NOT NULL,
    Day INTEGER NOT NULL,
    Completed INTEGER NOT NULL,
    Failed INTEGER NOT NULL,
    Leads INTEGER NOT NULL,
    LeadTime INTEGER NOT NULL,
    Restores INTEGER NOT NULL,
    RestoreTime INTEGER NOT NULL,
    PRIMARY KEY (Scope, Day)
) WITHOUT ROWID;

-- Behind which delivery those from before there were sums are added to them.
CREATE TABLE DeliverySumMark (
    Id INTEGER NOT NULL PRIMARY KEY,
    Reached TEXT NOT NULL,
    Complete INTEGER NOT NULL
);
INSERT INTO DeliverySumMark (Id, Reached, Complete) VALUES (1, '', 0);

-- 1 before a delivery is in the sums, 2 since.
ALTER TABLE Delivery ADD COLUMN Summed INTEGER NOT NULL DEFAULT 1;
