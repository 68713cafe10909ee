-- Files that are written again and again, on their way to the bucket. The newest content waits until the bucket has it;
-- the number stays, so that nobody takes older content for newer.
CREATE TABLE FileJournal (
    File TEXT NOT NULL PRIMARY KEY,
    Number INTEGER NOT NULL,
    At INTEGER,
    Content BLOB
);
CREATE INDEX FileJournal_At ON FileJournal (At);
