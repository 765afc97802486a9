/**
 * `user_version` is the number of executed migrations. Do not change released migrations. Times are
 * RFC 3339 and days `YYYY-MM-DD`, both in Taipei.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE account (
     id TEXT PRIMARY KEY,
     email TEXT,
     email_key TEXT UNIQUE,
     email_hash BLOB NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('active', 'closed')),
     created_at TEXT NOT NULL,
     closed_at TEXT,
     CHECK ((status = 'closed') = (closed_at IS NOT NULL))
   ) STRICT;
   CREATE TABLE plan_grant (
     account_id TEXT PRIMARY KEY REFERENCES account,
     plan_id TEXT NOT NULL CHECK (plan_id IN ('free', 'pro', 'max')),
     note TEXT,
     granted_at TEXT NOT NULL,
     expires_at TEXT
   ) STRICT, WITHOUT ROWID;
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
     revoked_at TEXT,
     last_used_day TEXT,
     CHECK (status = 'active' OR (sealed IS NULL AND revoked_at IS NOT NULL))
   ) STRICT;
   CREATE INDEX api_key_by_account ON api_key (account_id);
   CREATE TABLE vault_mark (id INTEGER PRIMARY KEY CHECK (id = 1), lookup BLOB NOT NULL, sealed BLOB NOT NULL) STRICT;
   CREATE TABLE session (
     id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     token_hash BLOB NOT NULL UNIQUE,
     created_at TEXT NOT NULL,
     last_used_at TEXT NOT NULL,
     expires_at TEXT NOT NULL,
     revoked_at TEXT
   ) STRICT;
   CREATE INDEX session_by_account ON session (account_id);
   CREATE TABLE onboarding_flow (
     id TEXT PRIMARY KEY,
     email TEXT NOT NULL,
     email_key TEXT NOT NULL,
     code_hash BLOB NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     created_at TEXT NOT NULL,
     expires_at TEXT NOT NULL,
     ended_at TEXT
   ) STRICT;
   CREATE INDEX onboarding_flow_by_email ON onboarding_flow (email_key, created_at);
   CREATE TABLE mail_outbox (
     id INTEGER PRIMARY KEY,
     to_address TEXT NOT NULL,
     subject TEXT NOT NULL,
     body TEXT,
     state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'given_up')),
     attempts INTEGER NOT NULL DEFAULT 0,
     next_at TEXT NOT NULL,
     created_at TEXT NOT NULL,
     last_error TEXT
   ) STRICT;
   CREATE INDEX mail_outbox_waiting ON mail_outbox (next_at) WHERE state = 'waiting';
   CREATE TABLE audit_log (
     id INTEGER PRIMARY KEY,
     at TEXT NOT NULL,
     actor TEXT NOT NULL,
     action TEXT NOT NULL,
     account_id TEXT,
     target TEXT,
     request_id TEXT,
     facts TEXT NOT NULL
   ) STRICT;
   CREATE TRIGGER audit_log_keeps BEFORE DELETE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
   CREATE TRIGGER audit_log_stands BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
   CREATE TABLE usage_ledger (
     request_id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     key_id TEXT NOT NULL REFERENCES api_key,
     dataset TEXT NOT NULL,
     at TEXT NOT NULL,
     credits INTEGER NOT NULL CHECK (credits >= 0),
     rows INTEGER NOT NULL CHECK (rows >= 0)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_daily (
     account_id TEXT NOT NULL REFERENCES account,
     day TEXT NOT NULL,
     key_id TEXT NOT NULL,
     dataset TEXT NOT NULL,
     requests INTEGER NOT NULL,
     credits INTEGER NOT NULL,
     rows INTEGER NOT NULL,
     errors INTEGER NOT NULL,
     PRIMARY KEY (account_id, day, key_id, dataset)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE account_period (
     account_id TEXT NOT NULL REFERENCES account,
     period TEXT NOT NULL,
     credits INTEGER NOT NULL CHECK (credits >= 0),
     requests INTEGER NOT NULL CHECK (requests >= 0),
     PRIMARY KEY (account_id, period)
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE account ADD COLUMN customer_id TEXT;
   CREATE UNIQUE INDEX account_by_customer ON account (customer_id) WHERE customer_id IS NOT NULL;
   CREATE TABLE paid_plan (
     account_id TEXT PRIMARY KEY REFERENCES account,
     plan_id TEXT NOT NULL CHECK (plan_id IN ('pro', 'max')),
     ends_at TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE subscription (
     id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     customer_id TEXT NOT NULL,
     status TEXT NOT NULL,
     plan_id TEXT NOT NULL CHECK (plan_id IN ('free', 'pro', 'max')),
     current_period_end TEXT,
     cancel_at_period_end INTEGER NOT NULL CHECK (cancel_at_period_end IN (0, 1)),
     past_due_since TEXT,
     key_id TEXT REFERENCES api_key,
     synced_at TEXT NOT NULL
   ) STRICT;
   CREATE INDEX subscription_by_account ON subscription (account_id);
   CREATE TABLE payment_event (
     id TEXT PRIMARY KEY,
     type TEXT NOT NULL,
     created INTEGER NOT NULL,
     livemode INTEGER NOT NULL CHECK (livemode IN (0, 1)),
     payload TEXT NOT NULL,
     received_at TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('new', 'done', 'ignored')),
     attempts INTEGER NOT NULL DEFAULT 0,
     next_at TEXT NOT NULL,
     error TEXT
   ) STRICT;
   CREATE INDEX payment_event_new ON payment_event (next_at) WHERE state = 'new';`,
  `UPDATE mail_outbox SET state = 'given_up' WHERE state = 'waiting';
   ALTER TABLE mail_outbox DROP COLUMN body;
   ALTER TABLE mail_outbox ADD COLUMN sealed BLOB;
   CREATE TRIGGER audit_log_adds BEFORE INSERT ON audit_log WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id)
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;`,
  `CREATE TABLE payment_catch_up (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;`,
  `ALTER TABLE onboarding_flow RENAME TO onboarding_code;
   DROP INDEX onboarding_flow_by_email;
   CREATE INDEX onboarding_code_by_email ON onboarding_code (email_key, created_at);
   CREATE TABLE onboarding_flow (
     id TEXT PRIMARY KEY,
     email_key TEXT NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     created_at TEXT NOT NULL
   ) STRICT;
   CREATE INDEX onboarding_flow_by_email ON onboarding_flow (email_key, created_at);
   INSERT INTO onboarding_flow SELECT id, email_key, attempts, created_at FROM onboarding_code WHERE ended_at IS NULL;
   ALTER TABLE onboarding_code DROP COLUMN attempts;`,
  `ALTER TABLE onboarding_code ADD COLUMN guesses INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE onboarding_flow ADD COLUMN origin BLOB NOT NULL DEFAULT x'';`,
  `CREATE INDEX account_closed_by_hash ON account (email_hash) WHERE status = 'closed';`,
  `ALTER TABLE api_key RENAME COLUMN last_used_day TO last_used_at;
   UPDATE api_key SET last_used_at = last_used_at || 'T00:00:00.000+08:00' WHERE last_used_at IS NOT NULL;`,
  `CREATE TABLE billed_period (
     subscription_id TEXT NOT NULL REFERENCES subscription,
     from_at TEXT NOT NULL,
     until_at TEXT NOT NULL,
     starts_at TEXT NOT NULL,
     ends_at TEXT NOT NULL,
     amount INTEGER NOT NULL CHECK (amount >= 0),
     PRIMARY KEY (subscription_id, from_at),
     CHECK (starts_at < ends_at)
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE account ADD COLUMN credit_mails INTEGER NOT NULL DEFAULT 1 CHECK (credit_mails IN (0, 1));
   ALTER TABLE plan_grant ADD COLUMN told_end TEXT;
   CREATE INDEX plan_grant_by_end ON plan_grant (expires_at) WHERE expires_at IS NOT NULL;
   ALTER TABLE mail_outbox ADD COLUMN kind TEXT NOT NULL DEFAULT 'code' CHECK (kind IN ('code', 'notice'));
   CREATE TABLE credit_notice (
     account_id TEXT NOT NULL REFERENCES account,
     period TEXT NOT NULL,
     percent INTEGER NOT NULL,
     at TEXT NOT NULL,
     PRIMARY KEY (account_id, period, percent)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE kept_answer (
     name BLOB PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     key_id TEXT REFERENCES api_key,
     sealed BLOB,
     created_at TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX kept_answer_by_time ON kept_answer (created_at);
   CREATE INDEX kept_answer_by_key ON kept_answer (key_id) WHERE key_id IS NOT NULL;
   CREATE TRIGGER kept_answer_erased AFTER UPDATE OF status ON api_key WHEN NEW.status = 'revoked'
     BEGIN UPDATE kept_answer SET sealed = NULL WHERE key_id = NEW.id; END;`,
  // Counts changes that affect whether a key is valid.
  `CREATE TABLE key_change (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL) STRICT;
   INSERT INTO key_change (id, count) VALUES (1, 0);
   CREATE TRIGGER key_change_key_made AFTER INSERT ON api_key BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_key AFTER UPDATE OF account_id, lookup, status, expires_at ON api_key BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_key_gone AFTER DELETE ON api_key BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_account AFTER UPDATE OF status ON account BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_grant_made AFTER INSERT ON plan_grant BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_grant AFTER UPDATE OF account_id, plan_id, expires_at ON plan_grant BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_grant_gone AFTER DELETE ON plan_grant BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_paid_made AFTER INSERT ON paid_plan BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_paid AFTER UPDATE ON paid_plan BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_paid_gone AFTER DELETE ON paid_plan BEGIN UPDATE key_change SET count = count + 1; END;`,
  `CREATE TABLE webhook_endpoint (
     id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     url TEXT NOT NULL,
     description TEXT NOT NULL,
     events TEXT NOT NULL,
     datasets TEXT NOT NULL,
     symbols TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('enabled', 'disabled')),
     reason TEXT CHECK (reason IN ('owner', 'gone', 'failing')),
     sealed BLOB NOT NULL,
     former BLOB,
     former_until TEXT,
     created_at TEXT NOT NULL,
     failing_since TEXT,
     told_at TEXT,
     CHECK ((state = 'disabled') = (reason IS NOT NULL))
   ) STRICT;
   CREATE INDEX webhook_endpoint_by_account ON webhook_endpoint (account_id);
   CREATE TABLE webhook_event (
     id TEXT PRIMARY KEY,
     type TEXT NOT NULL,
     at TEXT NOT NULL,
     body TEXT NOT NULL
   ) STRICT;
   CREATE TABLE webhook_delivery (
     id INTEGER PRIMARY KEY,
     endpoint_id TEXT NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
     event_id TEXT NOT NULL REFERENCES webhook_event,
     state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
     attempts INTEGER NOT NULL DEFAULT 0,
     next_at TEXT NOT NULL,
     created_at TEXT NOT NULL,
     UNIQUE (endpoint_id, event_id)
   ) STRICT;
   CREATE INDEX webhook_delivery_waiting ON webhook_delivery (next_at) WHERE state = 'waiting';
   CREATE INDEX webhook_delivery_by_event ON webhook_delivery (event_id);
   CREATE TABLE webhook_attempt (
     id INTEGER PRIMARY KEY,
     delivery_id INTEGER NOT NULL REFERENCES webhook_delivery ON DELETE CASCADE,
     at TEXT NOT NULL,
     status INTEGER,
     error TEXT,
     ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX webhook_attempt_by_delivery ON webhook_attempt (delivery_id);
   CREATE TABLE webhook_followed (slug TEXT PRIMARY KEY, entry TEXT, late_day TEXT) STRICT, WITHOUT ROWID;
   CREATE TABLE webhook_credits_low (
     account_id TEXT NOT NULL REFERENCES account,
     period TEXT NOT NULL,
     PRIMARY KEY (account_id, period)
   ) STRICT, WITHOUT ROWID;`,
  `DROP INDEX webhook_delivery_waiting;
   CREATE INDEX webhook_delivery_waiting ON webhook_delivery (endpoint_id, next_at, id) WHERE state = 'waiting';
   CREATE INDEX webhook_delivery_by_endpoint ON webhook_delivery (endpoint_id, id);
   CREATE INDEX webhook_delivery_over ON webhook_delivery (created_at) WHERE state <> 'waiting';
   CREATE INDEX webhook_attempt_by_time ON webhook_attempt (at);
   DELETE FROM webhook_event WHERE NOT EXISTS (SELECT 1 FROM webhook_delivery WHERE event_id = webhook_event.id);
   CREATE TRIGGER webhook_event_over AFTER DELETE ON webhook_delivery
     WHEN NOT EXISTS (SELECT 1 FROM webhook_delivery WHERE event_id = OLD.event_id)
     BEGIN DELETE FROM webhook_event WHERE id = OLD.event_id; END;`,
  `UPDATE webhook_attempt SET error = 'no_public_address' WHERE error IN ('address_not_public', 'name_not_found');`,
  `ALTER TABLE webhook_endpoint ADD COLUMN held_until TEXT;`,
  // `reason` cannot be `operator`, because of the CHECK.
  'ALTER TABLE webhook_endpoint ADD COLUMN by_operator INTEGER NOT NULL DEFAULT 0 CHECK (by_operator IN (0, 1))',
  `ALTER TABLE webhook_endpoint ADD COLUMN failed_at TEXT;
   ALTER TABLE webhook_endpoint ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;`,
  // Credits of the month at the time of the notification. Null if unknown.
  `ALTER TABLE webhook_credits_low ADD COLUMN included INTEGER;`,
  `ALTER TABLE kept_answer ADD COLUMN endpoint_id TEXT;
   CREATE INDEX kept_answer_by_endpoint ON kept_answer (endpoint_id) WHERE endpoint_id IS NOT NULL;
   CREATE TRIGGER kept_answer_endpoint_gone AFTER DELETE ON webhook_endpoint
     BEGIN UPDATE kept_answer SET sealed = NULL WHERE endpoint_id = OLD.id; END;
   CREATE TRIGGER kept_answer_endpoint_rotated AFTER UPDATE OF former_until ON webhook_endpoint
     BEGIN UPDATE kept_answer SET sealed = NULL WHERE endpoint_id = NEW.id; END;`,
  // With these indexes, queries for active or newest keys skip expired and revoked keys.
  `DROP INDEX api_key_by_account;
   CREATE INDEX api_key_by_account ON api_key (account_id, created_at DESC, id);
   CREATE INDEX api_key_active ON api_key (account_id, expires_at) WHERE status = 'active';`,
  // The audit log allows only one change, the removal of free texts.
  `CREATE TABLE account_suspension (
     account_id TEXT PRIMARY KEY REFERENCES account,
     reason TEXT NOT NULL,
     at TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE account_limit (
     account_id TEXT PRIMARY KEY REFERENCES account,
     row_limit INTEGER CHECK (row_limit > 0),
     requests_per_minute INTEGER CHECK (requests_per_minute > 0),
     requests_at_once INTEGER CHECK (requests_at_once > 0),
     credits_per_month INTEGER CHECK (credits_per_month >= 0)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE account_note (
     id INTEGER PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     at TEXT NOT NULL,
     author TEXT NOT NULL,
     text TEXT NOT NULL
   ) STRICT;
   CREATE INDEX account_note_by_account ON account_note (account_id);
   CREATE TABLE account_mail (
     id INTEGER PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES account,
     at TEXT NOT NULL,
     kind TEXT NOT NULL,
     subject TEXT NOT NULL,
     state TEXT NOT NULL,
     last_error TEXT
   ) STRICT;
   CREATE INDEX account_mail_by_account ON account_mail (account_id, at);
   CREATE INDEX account_mail_by_time ON account_mail (at);
   CREATE TRIGGER account_mail_logged BEFORE DELETE ON mail_outbox
     BEGIN INSERT INTO account_mail (account_id, at, kind, subject, state, last_error)
       SELECT id, OLD.created_at, OLD.kind, OLD.subject, OLD.state, OLD.last_error FROM account WHERE email_key = lower(OLD.to_address); END;
   CREATE TABLE account_erasure (account_id TEXT PRIMARY KEY REFERENCES account, at TEXT NOT NULL) STRICT, WITHOUT ROWID;
   DROP TRIGGER audit_log_stands;
   CREATE TRIGGER audit_log_stands BEFORE UPDATE ON audit_log
     WHEN NOT (EXISTS (SELECT 1 FROM account_erasure WHERE account_id = OLD.account_id) AND NEW.id IS OLD.id AND NEW.at IS OLD.at
       AND NEW.actor IS OLD.actor AND NEW.action IS OLD.action AND NEW.account_id IS OLD.account_id AND NEW.target IS OLD.target
       AND NEW.request_id IS OLD.request_id AND NEW.facts IS json_remove(OLD.facts, '$.note', '$.reason'))
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
   CREATE TRIGGER key_change_suspended AFTER INSERT ON account_suspension BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_suspension AFTER UPDATE ON account_suspension BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_restored AFTER DELETE ON account_suspension BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_limited AFTER INSERT ON account_limit BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_limit AFTER UPDATE ON account_limit BEGIN UPDATE key_change SET count = count + 1; END;
   CREATE TRIGGER key_change_unlimited AFTER DELETE ON account_limit BEGIN UPDATE key_change SET count = count + 1; END;`,
  // `id` sorts by time, like the ids of requests. `use_id` is the refunded use.
  `CREATE TABLE credit_entry (
     sequence INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     kind TEXT NOT NULL CHECK (kind IN ('grant', 'refund')),
     account_id TEXT NOT NULL REFERENCES account,
     at TEXT NOT NULL,
     credits INTEGER NOT NULL CHECK (credits > 0),
     reason TEXT NOT NULL,
     use_id TEXT UNIQUE REFERENCES usage_ledger,
     CHECK ((kind = 'refund') = (use_id IS NOT NULL))
   ) STRICT;
   CREATE INDEX credit_entry_by_account ON credit_entry (account_id, at);
   CREATE TRIGGER credit_entry_keeps BEFORE DELETE ON credit_entry BEGIN SELECT RAISE(ABORT, 'credit entries are append-only'); END;
   CREATE TRIGGER credit_entry_stands BEFORE UPDATE ON credit_entry
     WHEN NOT (EXISTS (SELECT 1 FROM account_erasure WHERE account_id = OLD.account_id) AND NEW.sequence IS OLD.sequence
       AND NEW.id IS OLD.id AND NEW.kind IS OLD.kind AND NEW.account_id IS OLD.account_id AND NEW.at IS OLD.at
       AND NEW.credits IS OLD.credits AND NEW.use_id IS OLD.use_id AND NEW.reason = '')
     BEGIN SELECT RAISE(ABORT, 'credit entries are append-only'); END;
   CREATE INDEX audit_log_by_account ON audit_log (account_id, id);`,
  `CREATE TABLE traffic_day (
     day TEXT PRIMARY KEY,
     answered INTEGER NOT NULL CHECK (answered >= 0),
     failed INTEGER NOT NULL CHECK (failed >= 0)
   ) STRICT, WITHOUT ROWID;`,
]
