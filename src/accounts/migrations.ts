/** Append only, counted by `user_version`: a step that was released is never edited. Times are RFC 3339, days `YYYY-MM-DD`, both in Taipei. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE account (
     id TEXT PRIMARY KEY,
     email TEXT NOT NULL,
     email_key TEXT NOT NULL UNIQUE,
     plan_id TEXT NOT NULL CHECK (plan_id IN ('free', 'pro', 'max')),
     status TEXT NOT NULL CHECK (status IN ('active', 'closed')),
     created_at TEXT NOT NULL
   ) STRICT;
   CREATE TABLE api_key (
     id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     name TEXT NOT NULL,
     last4 TEXT NOT NULL,
     lookup BLOB NOT NULL UNIQUE,
     sealed BLOB,
     status TEXT NOT NULL CHECK (status IN ('active', 'revoked')),
     created_at TEXT NOT NULL,
     expires_at TEXT,
     revoked_at TEXT
   ) STRICT;
   CREATE INDEX api_key_by_account ON api_key (account_id);
   CREATE TABLE usage_ledger (
     request_id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     key_id TEXT NOT NULL REFERENCES api_key,
     dataset TEXT NOT NULL,
     at TEXT NOT NULL,
     credits INTEGER NOT NULL CHECK (credits >= 0),
     rows INTEGER NOT NULL CHECK (rows >= 0)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX usage_ledger_by_account ON usage_ledger (account_id, at);
   CREATE TABLE account_period (
     account_id TEXT NOT NULL REFERENCES account,
     period TEXT NOT NULL,
     credits INTEGER NOT NULL CHECK (credits >= 0),
     requests INTEGER NOT NULL CHECK (requests >= 0),
     PRIMARY KEY (account_id, period)
   ) STRICT, WITHOUT ROWID;`,
]
