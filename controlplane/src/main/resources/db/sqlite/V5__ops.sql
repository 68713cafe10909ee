-- Which process does what only one may do. The term grows with every look of the holder's.
CREATE TABLE Lease (
    Name TEXT NOT NULL PRIMARY KEY,
    Holder TEXT NOT NULL,
    Term INTEGER NOT NULL
);

-- What has ended, oldest first.
CREATE INDEX Deployment_Completed ON Deployment (CompletedAt, Id) WHERE Status >= 4;
CREATE INDEX Command_Ended ON Command (CreatedAt, Id) WHERE Status > 0;
