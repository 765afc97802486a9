/** A text in English and in Chinese as written in Taiwan. */
export interface Words {
  readonly en: string
  readonly zh: string
}

/** All refusals by code: status, gate and message. Facts are added where the refusal is thrown. */
export const REFUSALS = {
  malformed_request: [
    400,
    null,
    {
      en: 'The request could not be read: its path, its headers or its JSON body is not well-formed.',
      zh: '無法讀取此請求：路徑、標頭或 JSON 內容的格式不正確。',
    },
  ],
  key_in_url: [
    400,
    null,
    {
      en: 'An API key was sent in the URL, where logs keep it. Revoke that key, create another and send it in the X-API-Key header.',
      zh: 'API 金鑰出現在網址中，會留在紀錄檔裡。請撤銷該金鑰、另建一把，並以 X-API-Key 標頭傳送。',
    },
  ],
  invalid_signature: [
    400,
    null,
    {
      en: 'The event is not signed with a secret of ours, or not within five minutes of now; nothing was stored.',
      zh: '事件未以我方的密鑰簽章，或簽章時間與現在相差超過五分鐘；未儲存任何內容。',
    },
  ],
  invalid_cursor: [
    400,
    null,
    {
      en: 'That cursor is not one of ours, or belongs to other parameters; send next_cursor as it was given, or leave it out to begin anew.',
      zh: '此游標並非由本服務發出，或屬於另一組參數；請原樣傳送 next_cursor，或省略以重新開始。',
    },
  ],
  repeated_header: [
    400,
    null,
    { en: 'A header that identifies the caller was sent more than once; send it once.', zh: '識別呼叫者的標頭重複傳送；請只傳送一次。' },
  ],
  missing_api_key: [401, 'auth', { en: 'Send your API key in the X-API-Key header.', zh: '請以 X-API-Key 標頭傳送您的 API 金鑰。' }],
  invalid_api_key: [
    401,
    'auth',
    {
      en: 'That API key is not one of ours; check for a missing or changed character.',
      zh: '此 API 金鑰並非本服務所發；請檢查是否缺字或有誤。',
    },
  ],
  revoked_api_key: [
    401,
    'auth',
    { en: 'That API key was revoked; use another or create one.', zh: '此 API 金鑰已撤銷；請改用另一把或重新建立。' },
  ],
  expired_api_key: [401, 'auth', { en: 'That API key has expired; create another.', zh: '此 API 金鑰已過期；請重新建立。' }],
  invalid_service_token: [
    401,
    'auth',
    { en: 'Send the service token as Authorization: Bearer.', zh: '請以 Authorization: Bearer 傳送服務權杖。' },
  ],
  invalid_admin_token: [
    401,
    'auth',
    {
      en: 'Send the admin token as Authorization: Bearer, or in x-admin-token.',
      zh: '請以 Authorization: Bearer 或 x-admin-token 傳送管理權杖。',
    },
  ],
  invalid_self_serve_token: [
    401,
    'auth',
    {
      en: 'Sign in again: the x-self-serve-token header is missing, over or revoked.',
      zh: '請重新登入：缺少 x-self-serve-token 標頭，或其權杖已到期或已撤銷。',
    },
  ],
  invalid_or_expired_code: [
    401,
    'auth',
    {
      en: 'That code does not work: it is wrong, over, used, or was tried too often. Compare it with the newest mail and try again, five times a sign-in; then ask for another.',
      zh: '此驗證碼無法使用：可能輸入錯誤、已過期、已使用，或嘗試次數過多。請與最新的信件核對後再試，每次登入可試五次；仍無法使用時請重新索取。',
    },
  ],
  conflicting_credentials: [
    401,
    'auth',
    {
      en: 'X-API-Key and Authorization carry different credentials; send one of them.',
      zh: 'X-API-Key 與 Authorization 帶有不同的憑證；請只傳送其中一個。',
    },
  ],
  credits_exhausted: [
    402,
    'credits',
    {
      en: 'The credits of this period are used up; they return at resets_at, or move to a higher plan.',
      zh: '本期點數已用完；點數將於 resets_at 恢復，您也可以升級方案。',
    },
  ],
  plan_required: [403, 'plan', { en: 'This dataset needs a higher plan.', zh: '此資料集需要較高的方案。' }],
  account_closed: [403, 'auth', { en: 'The account of this key is closed.', zh: '此金鑰所屬的帳戶已關閉。' }],
  foreign_origin: [
    403,
    'auth',
    {
      en: 'A page of another origin sent this request, so the browser’s session is not used for it; send an API key in the X-API-Key header. The operator of a portal that is refused this way sets PUBLIC_URL to the address of its pages.',
      zh: '此請求來自其他來源的頁面，不採用瀏覽器的登入狀態；請以 X-API-Key 標頭傳送 API 金鑰。若本站頁面遭此拒絕，請營運者將 PUBLIC_URL 設為頁面的網址。',
    },
  ],
  invalid_file_url: [
    403,
    'auth',
    {
      en: 'The signature of this URL is not ours, or the URL was changed; send it exactly as it was given, or ask for the list of parts again.',
      zh: '此網址的簽章並非本服務所發，或網址已遭更改；請原樣傳送，或重新索取檔案清單。',
    },
  ],
  expired_file_url: [
    403,
    'auth',
    {
      en: 'This URL has expired; ask for the list of parts again, which gives new ones.',
      zh: '此網址已過期；請重新索取檔案清單以取得新網址。',
    },
  ],
  revoked_file_url: [
    403,
    'auth',
    {
      en: 'The API key this URL was signed for was revoked or has expired; ask for the list of parts with another key.',
      zh: '簽發此網址的 API 金鑰已撤銷或過期；請以另一把金鑰重新索取檔案清單。',
    },
  ],
  reauth_required: [
    403,
    'auth',
    {
      en: 'Sign in again with a new code: a secret is shown only within 15 minutes of signing in.',
      zh: '請以新的驗證碼重新登入：金鑰內容只在登入後 15 分鐘內顯示。',
    },
  ],
  unknown_path: [404, null, { en: 'There is nothing at this path.', zh: '此路徑不存在。' }],
  unknown_dataset: [404, null, { en: 'There is no dataset of that name.', zh: '沒有此名稱的資料集。' }],
  unknown_id: [404, null, { en: 'There is nothing with that id.', zh: '查無此識別碼。' }],
  method_not_allowed: [405, null, { en: 'This path does not take that method.', zh: '此路徑不支援該方法。' }],
  format_not_supported: [406, null, { en: 'That format is not available here.', zh: '此處不提供該格式。' }],
  request_timeout: [
    408,
    null,
    {
      en: 'The request took too long to arrive: its headers may take 10 seconds, all of it 15. Send it again.',
      zh: '請求送達的時間過長：標頭須於 10 秒內、整個請求須於 15 秒內送達。請重新傳送。',
    },
  ],
  conflict: [409, null, { en: 'That does not fit the present state.', zh: '與目前的狀態不符。' }],
  subscription_not_active: [
    409,
    null,
    { en: 'That subscription is not live; renew it in the portal.', zh: '此訂閱目前未生效；請於訂閱管理頁面續訂。' },
  ],
  no_customer: [
    409,
    null,
    { en: 'This account has not completed a checkout, so there is no portal for it.', zh: '此帳戶尚未完成結帳，因此沒有訂閱管理頁面。' },
  ],
  key_limit: [
    409,
    null,
    { en: 'The account has as many active keys as it may; revoke one first.', zh: '此帳戶的有效金鑰數量已達上限；請先撤銷一把。' },
  ],
  webhook_limit: [
    409,
    null,
    {
      en: 'The account has as many webhook endpoints as its plan allows; delete one first, or move to a higher plan.',
      zh: '此帳戶的 Webhook 端點數量已達方案上限；請先刪除一個，或升級方案。',
    },
  ],
  key_not_revealable: [
    410,
    null,
    { en: 'That key was revoked and its secret erased; create another.', zh: '此金鑰已撤銷，其內容已刪除；請重新建立。' },
  ],
  release_retired: [
    410,
    null,
    {
      en: 'That release is no longer kept; ask for the nearest one or leave release out.',
      zh: '該版本已不再保留；請改用最接近的版本，或省略 release 參數。',
    },
  ],
  too_large: [413, null, { en: 'The body is larger than this path accepts.', zh: '請求內容超過此路徑可接受的大小。' }],
  uri_too_long: [
    414,
    null,
    { en: 'The URL is longer than 8 KB; ask for fewer values at once.', zh: '網址超過 8 KB；請減少一次查詢的值。' },
  ],
  headers_too_large: [
    431,
    null,
    { en: 'The headers are larger than 16 KB; send fewer or shorter ones.', zh: '標頭超過 16 KB；請減少或縮短標頭。' },
  ],
  range_not_satisfiable: [
    416,
    null,
    {
      en: 'The range begins after the end of the file; Content-Range says how many bytes it has.',
      zh: '所要求的範圍超出檔案結尾；檔案的位元組數見 Content-Range。',
    },
  ],
  unsupported_media_type: [
    415,
    null,
    { en: 'Send the body as plain, uncompressed application/json.', zh: '請以未壓縮的 application/json 傳送內容。' },
  ],
  invalid_parameter: [
    422,
    null,
    {
      en: 'A parameter is missing, unknown or malformed; every mistake is listed with what is accepted.',
      zh: '參數缺漏、不明或格式不正確；每個錯誤及可接受的值均已列出。',
    },
  ],
  unbounded_read: [
    422,
    'bounds',
    {
      en: 'This dataset is read for named tickers; the list of mistakes says what to add.',
      zh: '此資料集須指定證券代號讀取；錯誤清單說明應補上的參數。',
    },
  ],
  body_refused: [422, null, { en: 'The file was refused; nothing was published.', zh: '檔案未被接受；未發布任何內容。' }],
  rate_limited: [429, 'rate_limit', { en: 'Too many requests; wait retry_after seconds.', zh: '請求過於頻繁；請等待 retry_after 秒。' }],
  concurrency_limited: [
    429,
    'rate_limit',
    { en: 'Too many requests at once for this plan; wait for one to finish.', zh: '同時進行的請求超過此方案的上限；請等待其中一個完成。' },
  ],
  internal: [
    500,
    null,
    {
      en: 'Something failed on our side; send us the request_id if it persists.',
      zh: '本服務發生錯誤；若持續發生，請將 request_id 告知我們。',
    },
  ],
  integrity: [
    500,
    'integrity',
    { en: 'Stored data did not pass its check; the request was not answered from it.', zh: '儲存的資料未通過檢核，因此未據以回覆此請求。' },
  ],
  reserved_endpoint: [501, 'dataset_state', { en: 'This path is reserved and not served yet.', zh: '此路徑為保留路徑，目前尚未提供。' }],
  overloaded: [
    503,
    'capacity',
    { en: 'Too many reads are waiting; try again after retry_after seconds.', zh: '等候中的讀取過多；請於 retry_after 秒後再試。' },
  ],
  not_writable: [
    503,
    'capacity',
    {
      en: 'The service cannot write at the moment; nothing of this request was kept. Try again after retry_after seconds.',
      zh: '服務目前無法寫入；此請求未留下任何內容。請於 retry_after 秒後再試。',
    },
  ],
  data_unavailable: [
    503,
    'integrity',
    {
      en: 'No release of this dataset passes its check at the moment; try again later.',
      zh: '此資料集目前沒有通過檢核的版本；請稍後再試。',
    },
  ],
  dataset_building: [503, 'dataset_state', { en: 'This dataset has no published release yet.', zh: '此資料集尚未發布任何版本。' }],
  billing_unavailable: [
    503,
    null,
    { en: 'Payments are not available here at the moment; nothing else is affected.', zh: '目前無法付款；其他功能不受影響。' },
  ],
  draining: [503, 'capacity', { en: 'The service is stopping; try again in a moment.', zh: '服務正在停止；請稍後再試。' }],
  query_timeout: [
    504,
    'capacity',
    { en: 'The read took longer than its time budget; narrow it by symbol or dates.', zh: '讀取時間超過上限；請以代號或日期縮小範圍。' },
  ],
} as const satisfies Record<string, readonly [status: number, gate: string | null, words: Words]>

export type RefusalCode = keyof typeof REFUSALS

/** All codes, in order of status. */
export const REFUSAL_CODES = (Object.keys(REFUSALS) as readonly RefusalCode[]).toSorted((a, b) => REFUSALS[a][0] - REFUSALS[b][0])
