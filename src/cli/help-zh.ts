import type { Command, Help } from 'commander'

/** Chinese help by the English text. What follows `one of` or `accept violations of a rule:` is a list of names and stays. */
const TEXTS: Readonly<Record<string, string>> = {
  'Taiwan market data, served: read data, publish releases, ingest exchange files, run the API.':
    '臺灣市場資料服務：讀取資料、發布版本、匯入交易所檔案、執行 API。',
  'print the version': '顯示版本',
  'serve the data folder over HTTP': '以 HTTP 提供資料夾內的資料（由環境變數 PORT、HOST 與 DATA_DIR 設定）',
  'create sample data and keys if missing, then serve': '沒有資料時產生示範資料與金鑰，然後啟動服務',
  'read rows of a dataset from a service': '讀取資料集，以表格或任一格式輸出',
  'slug of the dataset': '資料集代號',
  'tickers or other keys of the dataset, separated by commas': '證券代號或該資料集的鍵值，以逗號分隔',
  'one day; without --symbol all keys of the day': '單一日期；未指定 --symbol 時為當日全部',
  'first day': '起始日',
  'last day': '結束日',
  'another parameter of the dataset; repeatable': '該資料集的其他參數，可重複指定',
  'columns, separated by commas': '欄位，以逗號分隔',
  'sort columns; a leading minus sorts descending': '排序欄位；遞減者前加減號',
  'numeric ranges, separated by commas: close:600..650,volume:1000..': '數值範圍，以逗號分隔：close:600..650,volume:1000..',
  'maximum number of rows per response': '每次回覆的最大筆數',
  'rows to skip': '略過的筆數',
  'an earlier release': '較早的版本',
  'read all pages, each charged as one read; table, csv and ndjson': '讀取所有頁，每頁計一次費用；限 table、csv 與 ndjson',
  'format of the rows; default from the name of --out, else table': '資料格式；預設依 --out 的檔名，否則為表格',
  'print the response unchanged': '原樣輸出服務的回覆',
  'write the rows to a file': '將資料寫入檔案',
  'print rows, bytes and price without a charge': '僅顯示筆數、位元組與價格，不計費',
  'address of the service; default TWMD_URL or http://127.0.0.1:8080': '服務網址；預設為 TWMD_URL 或 http://127.0.0.1:8080',
  'other origins that may serve files, separated by commas; default TWMD_FILE_ORIGINS':
    '可提供檔案的其他來源，以逗號分隔；未指定時使用 TWMD_FILE_ORIGINS',
  'file with the API key; default TWMD_API_KEY or the key of twmd login':
    '存放 API 金鑰的檔案；預設為 TWMD_API_KEY 或 twmd login 儲存的金鑰',
  'query fields of companies, brokers, branches, indices or bond tenors': '查詢公司、券商、分點、指數或公債年期在某日的欄位',
  'entity ids, separated by commas, such as 2330,2317': '查詢對象，以逗號分隔，例如 2330,2317',
  'fields, separated by commas, such as earnings.eps; default a selection': '欄位，以逗號分隔，例如 earnings.eps；預設為各資料集的部分欄位',
  'entity type of the ids': '查詢對象的類型',
  'values as known on that day; default today': '以該日已知的內容為準；預設為今日',
  'format of the response; default from the name of --out, else table': '回覆格式；預設依 --out 的檔名，否則為表格',
  'write the response to a file': '將回覆寫入檔案',
  'find symbols, datasets, fields, themes, indices, brokers and branches by name or code':
    '依名稱或代號搜尋證券、資料集、欄位、題材、指數、券商與分點',
  'a code, the start of a code, or words of a name': '代號、代號開頭或名稱的字詞',
  'symbol, dataset, field, theme, index, broker or branch': 'symbol、dataset、field、theme、index、broker 或 branch',
  'maximum number of hits': '最大結果數',
  'print new publications of a service until stopped; free, no key': '逐行顯示服務的每次發布，直到停止；免費且不需金鑰',
  'datasets, separated by commas; default all': '資料集，以逗號分隔；預設為全部',
  'start at a day or time instead of now': '由某日或某時起的發布開始，而非現在',
  'file with the position, to resume the next time': '記錄進度的檔案，下次由此繼續',
  'polling interval': '查詢間隔',
  'print existing publications and exit': '顯示現有內容後結束',
  'print one JSON document per line': '每筆輸出一行 JSON',
  "store an API key in the system's key store, read from stdin": '將服務的 API 金鑰存入系統金鑰庫；金鑰由標準輸入讀取',
  'remove the key of a service from the key store': '由金鑰庫移除服務的金鑰',
  'check files of one dataset and publish them as a release': '檢查單一資料集的分割檔並發布為版本',
  'slug, such as bond-yield-curve': '資料集代號，例如 bond-yield-curve',
  '.csv, .tsv, .ndjson, .json or .parquet, optionally .gz or .zst; columns as in the schema or mapped':
    '.csv、.ndjson、.json 或 .parquet，可為 .gz 或 .zst 壓縮檔；欄位名稱須與結構相同或已對應',
  "file column=dataset column, such as 'date=trade_date,vol=volume:lots->shares'":
    "檔案欄位=本服務欄位，例如 'date=trade_date,vol=volume:lots->shares'",
  "values of columns missing in the file, such as 'market=TWSE'": "檔案缺少之欄位的值，例如 'market=TWSE'",
  'file columns to ignore': '不匯入的檔案欄位',
  'a stored mapping, by name or path': '已儲存的欄位對應，以名稱或檔案路徑指定',
  'accept violations of a rule:': '接受下列規則的例外：',
  'print one JSON document': '輸出一份 JSON',
  'check files of one dataset without publishing': '檢查單一資料集的分割檔，不發布',
  'check and publish files of the exchanges': '讀取交易所原始檔案，檢查後發布合格的資料',
  'one of': '可為',
  'files or folders, optionally compressed with gzip or zstd': '檔案（不限順序）或資料夾，可為 gzip 或 zstd 壓縮檔',
  'day of the files, YYYY-MM-DD; files of another day are refused': '檔案的日期，YYYY-MM-DD；日期不符者拒絕',
  'download files of a feed from its source, check and publish them': '向公開來源抓取檔案，保留原檔，檢查後發布合格的資料',
  'day, YYYY-MM-DD; default the newest': '抓取日期，YYYY-MM-DD；預設為最新',
  'first day; existing days are skipped': '起始日；已有的日期不再抓取',
  'last day; default today': '結束日；預設為今日',
  'download existing days again': '已有的日期也重新抓取',
  'fetch feeds when their datasets are due, retrying late data': '依臺北時間在應公布時抓取各來源，遲到者持續重試',
  'feeds to fetch; default all fetchable ones': '要抓取的來源；預設為全部可抓取者',
  'print the feeds with next and last run, and exit': '列出各來源的下次時間與上次結果後結束',
  'fetch what is due now, and exit': '抓取目前應有的資料後結束',
  'with --list: print one JSON document': '與 --list 併用：輸出一份 JSON',
  'publish files from DATA_DIR/inbox and archive them': '發布放入 DATA_DIR/inbox 的檔案，並將其移走',
  'exit when all present files are processed': '處理完現有檔案後結束',
  'print one JSON document per line for each event': '每個事件輸出一行 JSON',
  'manage refused files': '被拒絕而保留的檔案及其報告',
  'list refused files, newest first': '列出保留的檔案，最新的在前',
  'publish a refused file, accepting rule violations': '接受例外並重新發布保留的檔案',
  'id of the file, such as q_0123456789abcdef': '檔案識別碼，例如 q_0123456789abcdef',
  'day of the file, YYYY-MM-DD; default from its name': '檔案的日期，YYYY-MM-DD；預設依檔名',
  'discard a refused file': '捨棄保留的檔案',
  'of the file': '檔案識別碼',
  'MCP server over stdin and stdout for the data folder, no key':
    '經標準輸入與輸出提供 AI 代理工具，直接讀取資料夾，不需金鑰；可與服務並行',
  'print the columns of a dataset with an example row': '資料集的欄位與範例',
  'manage published releases': '資料集的已發布版本',
  'list releases by age': '依時間列出版本，標示提供中與未使用者',
  'verify the hashes of all files of all releases': '計算各版本檔案的雜湊並與清單比對',
  'print the manifest of a release': '顯示版本的清單',
  'release id, served, or parent (of the served one)': '版本名稱、served 或 parent（提供中版本的前一版）',
  'print the row differences between two releases': '比較兩個版本之間新增、變更與移除的資料',
  'older release: id, served, or parent (of the served one)': '較舊的版本：名稱、served 或 parent',
  'newer release': '較新的版本',
  'output format': '輸出格式',
  'only rows of one kind': '僅列一種變動',
  'also print rows where only the source differs': '也列出僅來源不同的資料',
  'maximum number of rows; default 50 for tables, else all': '最大筆數；表格預設 50，其他格式為全部',
  'verify a release and serve it, to undo a publication': '驗證版本並改為提供該版本，用於復原發布',
  'release id from twmd releases list': 'twmd releases list 所列的名稱',
  'pin a release, so that it is never deleted': '永久保留版本，不受保留期限影響',
  'release id from twmd releases list, or served': 'twmd releases list 所列的名稱，或 served',
  why: '原因',
  'unpin a release': '取消永久保留',
  'set or print the public note of a release': '為版本加上說明，或顯示既有說明',
  'text of at most 500 characters': '最多 500 字',
  'remove the note': '移除說明',
  'list unneeded releases; --remove deletes them': '列出不再需要的版本；加上 --remove 則刪除',
  'slug, such as bond-yield-curve; default all published datasets': '資料集代號，例如 bond-yield-curve；預設為全部已發布的資料集',
  'retention of old releases, such as 90d; default RETENTION': '非提供中版本的保留期限，例如 90d；預設為 RETENTION',
  'delete them; without it nothing changes': '刪除；未指定時不做變更',
  'delete files without waiting; only while no service runs': '立即刪除檔案；僅限服務停止時，否則讀取會失敗',
  'merge appended rows into fewer files, as a new release': '合併附加的資料：以新版本存放相同資料，減少檔案數',
  'slug, such as institutional-positioning': '資料集代號，例如 institutional-positioning',
  'mirror the served releases of another service, resuming': '將另一服務提供中的版本複製到資料夾，並接續上次進度',
  'slugs, separated by commas; all for every dataset of your plan': '資料集代號，以逗號分隔；all 為方案可讀取的全部資料集',
  'releases folder, such as data/releases': '版本資料夾，例如 data/releases',
  'address of the service; default TWMD_URL': '服務網址；預設為 TWMD_URL',
  'keep pulling until stopped': '持續複製新發布的版本，直到停止',
  'polling interval of --follow': '--follow 的查詢間隔',
  'print one JSON document per dataset': '每個資料集輸出一行 JSON',
  'manage open tables for other engines': '供其他引擎讀取的開放資料表',
  'update table logs; rebuild missing or damaged ones': '更新資料表紀錄；缺少或損毀的部分由現有版本重建',
  'compare the table logs with the releases': '檢查資料表紀錄並與現有版本比對',
  'manage API keys': 'API 金鑰',
  'grant and refund credits': '贈送與退還點數',
  'grant credits for the current month': '贈送本月可用的點數',
  'account id or e-mail address': '帳戶識別碼或電子郵件地址',
  'number of credits': '點數',
  'reason, shown to the customer': '原因，客戶可見',
  'refund a charged read, once': '退還一次讀取的點數，限一次',
  'request id of the read, from the usage ledger': '該次讀取的請求代號，見用量明細',
  'list administrative acts, newest first': '列出管理操作，由新到舊',
  'only acts on this account: its id or e-mail address': '僅列出與此帳戶有關者：識別碼或電子郵件地址',
  'only this action': '僅列出此動作',
  'only acts of admin, operator or an account id': '僅列出此操作者：admin、operator 或帳戶識別碼',
  'first time; Taipei time without an offset': '起始時間；未指定時區時為臺北時間',
  'time before which the acts were; Taipei time without an offset': '結束時間（不含）；未指定時區時為臺北時間',
  'only entries before this id, for the next page': '僅列出此序號之前的紀錄，用於下一頁',
  'print CSV': '輸出 CSV',
  're-encrypt all keys with the first configured secrets': '以 KEY_PEPPER 與 KEY_ENCRYPTION_KEY 的第一個值重新加密所有金鑰',
  'create an API key for an e-mail address': '為電子郵件地址建立指定方案的 API 金鑰',
  'owner of the key; the account is created if missing': '金鑰的擁有者；沒有帳號時自動建立',
  'purpose of the key': '金鑰用途',
  'back up accounts, keys and usage while the service runs': '在服務執行中備份帳號、金鑰與用量',
  'new file, or a folder for dated backups; without secrets': '新檔案，或依時間命名的資料夾；備份不含密鑰',
  'with a folder: number of backups to keep': '用於資料夾：僅保留最新的幾份備份',
  'check a backup and restore it': '檢查備份並取代目前的狀態檔',
  'backup of twmd backup': 'twmd backup 產生的備份',
  'only check': '僅檢查，不做變更',
  'test the newest backup and report what a restore would lose': '試還原最新備份並與狀態檔比較，說明還原將遺失的內容',
  'backup, or folder of backups': '備份檔，或 twmd backup 的備份資料夾',
  'check configuration, state, releases, disk and mail': '檢查設定、狀態、版本、磁碟與郵件，並說明處理方式',
  payments: '付款',
  'fetch missed payment events and refresh all subscriptions': '補抓遺漏的事件，重新套用某日以來的事件，並更新所有訂閱',
  'YYYY-MM-DD in Taipei; the provider has 30 days of events': '臺北時間 YYYY-MM-DD；金流業者保留事件 30 天',
  'manage webhook endpoints of all accounts': '所有帳號的 webhook 端點與訊息',
  'list endpoints, failing ones first': '列出所有端點，失敗者在前',
  'only failing endpoints': '僅列失敗後未再成功的端點',
  'print one JSON document, with URL paths': '輸出一份 JSON，含各網址的路徑',
  'list messages of thirty days to an endpoint, newest first': '列出端點三十天內的訊息與最後一次傳送，最新的在前',
  'endpoint id from twmd webhooks list': 'twmd webhooks list 所列的端點',
  'only messages in this state': '僅列此狀態的訊息',
  'maximum number': '最大數量',
  'print one JSON document, with all attempts': '輸出一份 JSON，含每次傳送',
  'resend a message, or with --since all undelivered ones': '重送一則訊息，或以 --since 重送所有未送達者；執行中的服務數秒內處理',
  'enabled endpoint': '已啟用的端點',
  'message id from twmd webhooks deliveries': 'twmd webhooks deliveries 所列的訊息',
  'day or time; Taipei time without an offset': '日期或時間；未標示時區者為臺北時間',
  'disable an endpoint, drop its queue and notify its owner': '停用端點，捨棄待送訊息，並以郵件通知擁有者',
  'enable an endpoint for new events': '重新啟用端點',
  'print a shell completion script': '輸出殼層的自動完成腳本',
}

const TITLES: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '參數：',
  'Options:': '選項：',
  'Commands:': '指令：',
}

/** Text and names of a description that ends in a list of names. */
const LISTED = /^(one of|accept violations of a rule:) (.*)$/s

/** @returns undefined without a translation */
export function helpInChinese(text: string): string | undefined {
  const [, intro, names] = LISTED.exec(text) ?? []
  if (intro === undefined) return TEXTS[text]
  return `${TEXTS[intro]} ${names!.replace("; sets the account's plan", '；設定帳號的方案')}`
}

/** True if the environment asks for Traditional Chinese, by the order that POSIX gives: LC_ALL, LC_MESSAGES, LANG. */
export function wantsChinese(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
  return /^zh[_-](TW|HK|MO|Hant)/i.test(locale)
}

/** Translates the help of a command and of those below it. Names of commands, options and values stay. */
export function translateHelp(command: Command): void {
  const zh = (text: string): string => helpInChinese(text) ?? text
  command.description(zh(command.description()))
  for (const argument of command.registeredArguments) argument.description = zh(argument.description)
  for (const option of command.options) option.description = zh(option.description)
  command.helpOption('-h, --help', '顯示說明')
  if (command.commands.length > 0) command.helpCommand('help [command]', '顯示指令的說明')
  command.configureHelp({ styleTitle: (title: string) => TITLES[title] ?? title } satisfies Partial<Help>)
  command.commands.forEach(translateHelp)
}
