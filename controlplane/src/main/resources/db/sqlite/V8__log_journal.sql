-- Lines of stage logs on their way to the bucket; a row goes when the bucket has it.
CREATE TABLE LogJournal (
    Seq INTEGER PRIMARY KEY AUTOINCREMENT,
    Log TEXT NOT NULL,
    At INTEGER NOT NULL,
    Lines BLOB NOT NULL
);
CREATE INDEX LogJournal_Log ON LogJournal (Log, Seq);
CREATE INDEX LogJournal_At ON LogJournal (At);

-- Logs that have ended or are about to: their lines go to the bucket at once.
CREATE TABLE LogEnd (
    Log TEXT NOT NULL PRIMARY KEY,
    At INTEGER NOT NULL
);
CREATE INDEX LogEnd_At ON LogEnd (At);
