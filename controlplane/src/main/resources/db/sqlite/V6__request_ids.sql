-- By which request, as logs and answers tell it.
ALTER TABLE Change ADD COLUMN RequestId TEXT NOT NULL DEFAULT '';
