/** A word or phrase that this project does not use, and what to write instead. */
export interface Pattern {
  readonly pattern: RegExp
  /** Replacement, with a reason if it is not obvious. */
  readonly instead: string
}

/**
 * Phrases that made our text read like a translation. Each is checked in comments, in text for people, in
 * test titles and in Markdown. Put `wording: allow` into a comment on the same line, or on the line before,
 * for the few places where a phrase is right.
 */
export const PATTERNS: readonly Pattern[] = [
  { pattern: /\bwho(so)?ever\b/i, instead: 'the caller, clients that ..., any client' },
  { pattern: /\b(is|are|was|were|be|been) told\b|\btold (of|about|apart|that|to)\b/i, instead: 'notified, reported, received' },
  { pattern: /\btells? (of|that|it|them|whether|how|what|which|why|where|when|us|a|an|the)\b/i, instead: 'reports, states, shows, calls' },
  {
    pattern: /\b(is|are|was|were) asked\b|\basked (for|of|about|again)\b|\basks (for|of|about|again|the|a|an|whether)\b/i,
    instead: 'requested, requests, queries',
  },
  {
    pattern:
      /\bwhat (is|was|are|were) (said|kept|held|left|made|sent|known|asked|written|read|wrong|there|done|served|published|received|shown) (of|in|by|to|from|at|on|with)\b/i,
    instead: 'the noun of the thing',
  },
  {
    pattern: /\bsay(s)? (of|nothing|so|how|what|which|whether|where|when|who|that there)\b|\bsaid (of|so|by|in|that)\b/i,
    instead: 'reports, states, describes',
  },
  { pattern: /\bkept (of|for|as|in|with|apart|by|whole|there|here|until|while|back)\b/i, instead: 'stored, cached, retained' },
  { pattern: /\bheld (of|for|in|back|by|until|while|open|there)\b/i, instead: 'reserved, stored, delayed' },
  {
    pattern: /\blet(s|ting)? (go|be|in|through|pass)\b|\bgo on with\b|\bgoes on\b|\bgone on\b/i,
    instead: 'released, evicted, admitted, continues, resumed',
  },
  { pattern: /\blook(s|ed|ing)? (at|into|through|for|again|up there)\b|\bin sight\b/i, instead: 'check, scan, poll, find, visible' },
  {
    pattern: /\bin line\b|\bin a line\b|\bwaits? (its|their|in) (turn|line)\b|\btakes? turns?\b/i,
    instead: 'queued, in turn (round robin), slot',
  },
  { pattern: /\bat hand\b|\bat once\b/i, instead: 'in memory; immediately, synchronously, concurrently' },
  {
    pattern: /\banew\b|\bagain and again\b|\bfrom (now|then|here|there) on\b|\bof late\b|\bfrom which on\b/i,
    instead: 'again, repeatedly, subsequently, after that, recently',
  },
  {
    pattern: /\b(is|are|was) over\b|\bhas left\b|\bhave left\b|\b(is|are) gone\b/i,
    instead: 'has ended, was sent, is closed, was deleted',
  },
  {
    pattern:
      /\bstands? (for|in|at|by|on|before|after|there|beside|under)\b|\bl(ies|ay|ying) (in|on|beside|under|there|before|at)\b|\bbeside(s)?\b/i,
    instead: 'represents, is in, is next to, with',
  },
  { pattern: /\bcomes? to\b(?! (the|an) (end|stop))/i, instead: 'totals, measures' },
  { pattern: /\bin the place of\b/i, instead: 'instead of, replaces' },
  { pattern: /\bas far as\b|\bas it is\b|\bas they are\b|\bwhat is\b.{1,40}\bof it\b/i, instead: 'the noun, or unchanged' },
  { pattern: /\bmend(s|ed|ing)?\b/i, instead: 'fix, repair' },
  { pattern: /\bforetell|\bforesee|\bforetold|\bforeseen/i, instead: 'forecast, estimate, scheduled' },
  {
    pattern: /\bthe gone\b|\bthe late\b|\bthe few\b|\bstranger\b|\bnobody('s)?\b/i,
    instead: 'closed connections, overdue datasets; no client, none',
  },
  { pattern: /\b(is|are|was|were) (wanted|meant)\b/i, instead: 'expected, required; means' },
  { pattern: /\bmay (not )?be taken\b|\b(is|are) taken (for|as|in|from|of)\b/i, instead: 'accepted, read, counted' },
  { pattern: /\b(is|are|was|were) brought\b|\bbrings?\b/i, instead: 'imported, adds, causes' },
  { pattern: /\b(room|door|house)s?\b/i, instead: 'module, entry point, code base' },
  { pattern: /\bthe same of\b|\bthe one of\b|\bthose of\b.{1,30}\bof\b/i, instead: 'repeat the noun' },
]

/** Longest line of a comment, in columns. */
export const COMMENT_COLUMNS = 100

/** Sentences of documents with more words than this are reported, but do not fail the check. */
export const SENTENCE_WORDS = 30
