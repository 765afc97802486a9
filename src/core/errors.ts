export interface Words {
  readonly en: string
  readonly zh: string
}

/** HTTP status, kind of check, and message of each refusal. */
export const REFUSALS = {
  malformed_request: [
    400,
    null,
    {
      en: 'The path, the headers or the JSON body of the request is malformed. Correct the request.',
      zh: '請求的路徑、標頭或 JSON 內容格式不正確。請更正後重送。',
    },
  ],
  key_in_url: [
    400,
    null,
    {
      en: 'The URL contains an API key, and logs store URLs. Revoke the key, create another and send it in the X-API-Key header.',
      zh: '網址中含有 API 金鑰，而網址會留在紀錄檔中。請撤銷該金鑰、另建一把，並以 X-API-Key 標頭傳送。',
    },
  ],
  invalid_signature: [
    400,
    null,
    {
      en: 'The event signature is invalid or older than five minutes, so nothing was stored. Sign the event again with the current secret.',
      zh: '事件的簽章無效，或簽章時間與現在相差超過五分鐘，因此未儲存任何內容。請以目前的密鑰重新簽章。',
    },
  ],
  invalid_cursor: [
    400,
    null,
    {
      en: 'The cursor is invalid or belongs to other parameters. Send next_cursor unchanged, or omit it to start over.',
      zh: '游標無效，或屬於另一組參數。請原樣傳送 next_cursor，或省略以重新開始。',
    },
  ],
  repeated_header: [
    400,
    null,
    { en: 'A header that identifies the caller occurs more than once. Send it once.', zh: '識別呼叫者的標頭重複。請只傳送一次。' },
  ],
  missing_api_key: [
    401,
    'auth',
    { en: 'The API key is missing. Send it in the X-API-Key header.', zh: '缺少 API 金鑰。請以 X-API-Key 標頭傳送。' },
  ],
  invalid_api_key: [
    401,
    'auth',
    {
      en: 'The API key is invalid. Check it for missing or changed characters.',
      zh: 'API 金鑰無效。請檢查是否缺字或有誤。',
    },
  ],
  revoked_api_key: [
    401,
    'auth',
    { en: 'The API key is revoked. Use another key or create one.', zh: '此 API 金鑰已撤銷。請改用另一把或重新建立。' },
  ],
  expired_api_key: [401, 'auth', { en: 'The API key has expired. Create another key.', zh: '此 API 金鑰已過期。請重新建立。' }],
  invalid_service_token: [
    401,
    'auth',
    {
      en: 'The service token is missing or invalid. Send it as Authorization: Bearer.',
      zh: '缺少服務權杖，或權杖無效。請以 Authorization: Bearer 傳送。',
    },
  ],
  invalid_admin_token: [
    401,
    'auth',
    {
      en: 'The admin token is missing or invalid. Send it as Authorization: Bearer, or in x-admin-token.',
      zh: '缺少管理權杖，或權杖無效。請以 Authorization: Bearer 或 x-admin-token 傳送。',
    },
  ],
  invalid_self_serve_token: [
    401,
    'auth',
    {
      en: 'The x-self-serve-token header is missing, expired or revoked. Sign in again.',
      zh: '缺少 x-self-serve-token 標頭，或其權杖已過期或已撤銷。請重新登入。',
    },
  ],
  invalid_or_expired_code: [
    401,
    'auth',
    {
      en: 'The code is invalid, expired or already used, or was entered too many times. Enter the code of the newest mail (five attempts per sign-in), or request another code.',
      zh: '驗證碼錯誤、已過期、已使用，或嘗試次數過多。請輸入最新信件中的驗證碼（每次登入可試五次），或重新索取。',
    },
  ],
  conflicting_credentials: [
    401,
    'auth',
    {
      en: 'X-API-Key and Authorization contain different credentials. Send one of them.',
      zh: 'X-API-Key 與 Authorization 標頭的金鑰不同。請只傳送其中一個。',
    },
  ],
  credits_exhausted: [
    402,
    'credits',
    {
      en: 'The credits of this period are used up. Wait until resets_at, or move to a higher plan.',
      zh: '本期點數已用完。請等待至 resets_at，或升級方案。',
    },
  ],
  plan_required: [
    403,
    'plan',
    {
      en: 'This dataset requires a higher plan. Upgrade to the plan in required_plan.',
      zh: '此資料集需要較高的方案。請升級至 required_plan 所列的方案。',
    },
  ],
  account_closed: [
    403,
    'auth',
    { en: 'The account of this key is closed. Sign in to create a new account.', zh: '此金鑰所屬的帳戶已關閉。請登入以建立新帳戶。' },
  ],
  account_suspended: [
    403,
    'auth',
    {
      en: 'The operator suspended this account. Resolve the cause given in reason, or contact the operator.',
      zh: '營運者已暫停此帳戶。請處理 reason 所列的原因，或與營運者聯絡。',
    },
  ],
  foreign_origin: [
    403,
    'auth',
    {
      en: 'The request came from a page of another origin, so the browser session was not used. Send an API key in the X-API-Key header; operators set PUBLIC_URL to the address of the portal.',
      zh: '此請求來自其他網站的頁面，因此未採用瀏覽器的登入狀態。請以 X-API-Key 標頭傳送 API 金鑰；營運者請將 PUBLIC_URL 設為入口網站的網址。',
    },
  ],
  invalid_file_url: [
    403,
    'auth',
    {
      en: 'The signature of the URL is invalid. Send the URL unchanged, or request the list of parts again.',
      zh: '網址的簽章無效。請使用未經修改的網址，或重新取得檔案清單。',
    },
  ],
  expired_file_url: [
    403,
    'auth',
    {
      en: 'The URL has expired. Request the list of parts again for new URLs.',
      zh: '網址已過期。請重新取得檔案清單，其中有新的網址。',
    },
  ],
  revoked_file_url: [
    403,
    'auth',
    {
      en: 'The API key for which the URL was signed is revoked or has expired. Request the list of parts with another key.',
      zh: '簽發此網址的 API 金鑰已撤銷或過期。請以另一把金鑰重新取得檔案清單。',
    },
  ],
  reauth_required: [
    403,
    'auth',
    {
      en: 'Secrets are shown only within 15 minutes of signing in. Sign in again with a new code.',
      zh: '密鑰僅於登入後 15 分鐘內顯示。請以新的驗證碼重新登入。',
    },
  ],
  unknown_path: [404, null, { en: 'The path does not exist. Check the path.', zh: '此路徑不存在。請檢查路徑。' }],
  unknown_dataset: [404, null, { en: 'The dataset does not exist. Check its name.', zh: '此資料集不存在。請檢查名稱。' }],
  unknown_id: [404, null, { en: 'The id does not exist. Check the id.', zh: '查無此識別碼。請檢查識別碼。' }],
  method_not_allowed: [
    405,
    null,
    {
      en: 'The path does not support this method. Use a method of the Allow header.',
      zh: '此路徑不支援該 HTTP 方法。請改用 Allow 標頭所列的方法。',
    },
  ],
  format_not_supported: [
    406,
    null,
    { en: 'The format is not available for this path. Choose another format.', zh: '此路徑不提供該格式。請改用其他格式。' },
  ],
  request_timeout: [
    408,
    null,
    {
      en: 'The request was too slow: headers must arrive within 10 seconds, the full request within 15. Send it again.',
      zh: '請求送達過慢：標頭須於 10 秒內、完整請求須於 15 秒內送達。請重新傳送。',
    },
  ],
  conflict: [
    409,
    null,
    {
      en: 'The request conflicts with the current state. Read the current state and try again.',
      zh: '此操作與目前的狀態衝突。請查詢目前狀態後再試。',
    },
  ],
  already_refunded: [
    409,
    null,
    {
      en: 'The read was already refunded. refund_id is the id of the refund.',
      zh: '此次讀取的點數已退還。refund_id 為退點紀錄的識別碼。',
    },
  ],
  subscription_not_active: [
    409,
    null,
    { en: 'The subscription is not active. Renew it in the portal.', zh: '此訂閱目前未生效。請於訂閱管理頁面續訂。' },
  ],
  no_customer: [
    409,
    null,
    {
      en: 'The account has no subscription portal yet. Complete a checkout first.',
      zh: '帳戶尚無訂閱管理頁面。請先完成結帳。',
    },
  ],
  key_limit: [409, null, { en: 'Key limit reached. Revoke a key first.', zh: '有效金鑰數量已達上限。請先撤銷一把。' }],
  webhook_limit: [
    409,
    null,
    {
      en: 'Webhook endpoint limit of the plan reached. Delete an endpoint first, or move to a higher plan.',
      zh: 'Webhook 端點數量已達方案上限。請先刪除一個，或升級方案。',
    },
  ],
  key_not_revealable: [
    410,
    null,
    { en: 'The key is revoked and its secret deleted. Create another key.', zh: '此金鑰已撤銷，其內容已刪除。請重新建立。' },
  ],
  release_retired: [
    410,
    null,
    {
      en: 'The release is no longer available. Use the nearest release, or omit the parameter release.',
      zh: '該版本已不再提供。請改用最接近的版本，或省略參數 release。',
    },
  ],
  too_large: [
    413,
    null,
    { en: 'The body exceeds the size limit of this path. Send a smaller body.', zh: '請求內容超過此路徑的大小上限。請縮小內容。' },
  ],
  uri_too_long: [414, null, { en: 'The URL exceeds 8 KB. Request fewer values.', zh: '網址超過 8 KB。請減少單次查詢的代號或條件數量。' }],
  headers_too_large: [
    431,
    null,
    { en: 'The headers exceed 16 KB. Send fewer or shorter headers.', zh: '標頭超過 16 KB。請減少或縮短標頭。' },
  ],
  range_not_satisfiable: [
    416,
    null,
    {
      en: 'The range starts after the end of the file. Content-Range has the file size.',
      zh: '範圍的起點超出檔案結尾。檔案大小見 Content-Range。',
    },
  ],
  unsupported_media_type: [
    415,
    null,
    {
      en: 'The media type or encoding of the body is not supported. Send uncompressed application/json.',
      zh: '不支援此內容類型或壓縮方式。請傳送未壓縮的 application/json。',
    },
  ],
  invalid_parameter: [
    422,
    null,
    {
      en: 'A parameter is missing, unknown or malformed. Correct the listed faults.',
      zh: '參數缺漏、不明或格式不正確。請更正所列的錯誤。',
    },
  ],
  unbounded_read: [
    422,
    'bounds',
    {
      en: 'Reads of this dataset must name a ticker. Add one of the listed parameters.',
      zh: '讀取此資料集須指定證券代號。請補上所列的參數。',
    },
  ],
  body_refused: [
    422,
    null,
    {
      en: 'The file was refused and nothing was published. Correct the faults and try again.',
      zh: '檔案未通過檢查，未發布任何內容。請更正錯誤後重試。',
    },
  ],
  rate_limited: [429, 'rate_limit', { en: 'Too many requests. Wait retry_after seconds.', zh: '請求過於頻繁。請等待 retry_after 秒。' }],
  concurrency_limited: [
    429,
    'rate_limit',
    {
      en: 'Concurrency limit of the plan reached. Wait for a request to finish.',
      zh: '同時進行的請求數已達方案上限。請待其中一個完成後再試。',
    },
  ],
  internal: [
    500,
    null,
    {
      en: 'Internal error. If it persists, report the request_id to the operator.',
      zh: '系統內部錯誤。若持續發生，請將 request_id 提供給營運者。',
    },
  ],
  integrity: [
    500,
    'integrity',
    {
      en: 'Stored data is damaged, so the request was not answered. Try again later.',
      zh: '儲存的資料已損毀，因此無法回應此請求。請稍後再試。',
    },
  ],
  reserved_endpoint: [
    501,
    'dataset_state',
    { en: 'This path is reserved and not available yet. Use another path.', zh: '此路徑為保留路徑，目前尚未提供。請改用其他路徑。' },
  ],
  overloaded: [
    503,
    'capacity',
    { en: 'The read queue is full. Try again after retry_after seconds.', zh: '等候讀取的請求過多。請於 retry_after 秒後再試。' },
  ],
  not_writable: [
    503,
    'capacity',
    {
      en: 'The service cannot write at the moment, so nothing was saved. Try again after retry_after seconds.',
      zh: '服務目前無法寫入資料，因此未儲存任何內容。請於 retry_after 秒後再試。',
    },
  ],
  data_unavailable: [
    503,
    'integrity',
    {
      en: 'No intact release of this dataset is available. Try again later.',
      zh: '此資料集目前沒有可用的版本。請稍後再試。',
    },
  ],
  dataset_building: [
    503,
    'dataset_state',
    { en: 'This dataset has no published release yet. Try again later.', zh: '此資料集尚未發布任何版本。請稍後再試。' },
  ],
  billing_unavailable: [
    503,
    null,
    {
      en: 'Payments are not available at the moment. Try again later; other functions are not affected.',
      zh: '目前無法付款。請稍後再試；其他功能不受影響。',
    },
  ],
  draining: [503, 'capacity', { en: 'The service is shutting down. Try again in a moment.', zh: '服務正在停止。請稍後再試。' }],
  query_timeout: [
    504,
    'capacity',
    { en: 'The read exceeded its time limit. Narrow it by symbol or dates.', zh: '讀取超過時間上限。請以代號或日期縮小範圍。' },
  ],
} as const satisfies Record<string, readonly [status: number, gate: string | null, words: Words]>

export type RefusalCode = keyof typeof REFUSALS

export const REFUSAL_CODES = (Object.keys(REFUSALS) as readonly RefusalCode[]).toSorted((a, b) => REFUSALS[a][0] - REFUSALS[b][0])
