import type { Command, Help } from 'commander'

/** Chinese help by the English text. What follows `one of` or `let a rule pass:` is a list of names and stays. */
const TEXTS: Readonly<Record<string, string>> = {
  'Taiwan market data, served: read data, publish releases, ingest exchange files, run the API.':
    '臺灣市場資料服務：讀取資料、發布版本、匯入交易所檔案、執行 API。',
  'print the version': '顯示版本',
  'serve the data folder over HTTP (PORT, HOST and DATA_DIR from the environment)':
    '以 HTTP 提供資料夾內的資料（由環境變數 PORT、HOST 與 DATA_DIR 設定）',
  'make synthetic sample data and keys where there are none, then serve': '沒有資料時產生示範資料與金鑰，然後啟動服務',
  'read rows of a dataset from a service, as a table or in any format': '讀取資料集，以表格或任一格式輸出',
  'slug of the dataset': '資料集代號',
  'tickers, or what the dataset is kept by; separated by commas': '證券代號或該資料集的鍵值，以逗號分隔',
  'one day; without --symbol all keys of that day': '單一日期；未指定 --symbol 時為當日全部',
  'first day': '起始日',
  'last day': '結束日',
  'another parameter of the dataset; may be repeated': '該資料集的其他參數，可重複指定',
  'columns, separated by commas': '欄位，以逗號分隔',
  'order of the rows: columns, a minus before those that descend': '排序欄位；遞減者前加減號',
  'figures between two ends, separated by commas: close:600..650,volume:1000..': '數值範圍，以逗號分隔：close:600..650,volume:1000..',
  'most rows of one answer': '每次回覆的最大筆數',
  'rows to skip': '略過的筆數',
  'an earlier release': '較早的版本',
  'read every page, each charged as one read; table, csv and ndjson': '讀取所有頁，每頁計一次費用；限 table、csv 與 ndjson',
  'format of the rows; that of the name of --out, else a table': '資料格式；預設依 --out 的檔名，否則為表格',
  'print the answer as the service sends it': '原樣輸出服務的回覆',
  'write the rows into a file': '將資料寫入檔案',
  'say rows, bytes and price, and charge nothing': '僅顯示筆數、位元組與價格，不計費',
  'address of the service; TWMD_URL, or http://127.0.0.1:8080, when absent': '服務網址；預設為 TWMD_URL 或 http://127.0.0.1:8080',
  'other origins that may serve files, separated by commas; TWMD_FILE_ORIGINS when absent':
    '可提供檔案的其他來源，以逗號分隔；未指定時使用 TWMD_FILE_ORIGINS',
  'file that holds the API key; TWMD_API_KEY, or the key of twmd login, when absent':
    '存放 API 金鑰的檔案；預設為 TWMD_API_KEY 或 twmd login 儲存的金鑰',
  'ask for fields of companies, brokers, branches, indices or bond tenors, as of a day': '查詢公司、券商、分點、指數或公債年期在某日的欄位',
  'what to ask about, separated by commas, such as 2330,2317': '查詢對象，以逗號分隔，例如 2330,2317',
  'fields, separated by commas, such as earnings.eps; some of each dataset when absent':
    '欄位，以逗號分隔，例如 earnings.eps；預設為各資料集的部分欄位',
  'what the ids name': '查詢對象的類型',
  'as was known on that day; today when absent': '以該日已知的內容為準；預設為今日',
  'format of the answer; that of the name of --out, else a table': '回覆格式；預設依 --out 的檔名，否則為表格',
  'write the answer into a file': '將回覆寫入檔案',
  'find symbols, datasets, fields, themes, indices, brokers and branches by name or code':
    '依名稱或代號搜尋證券、資料集、欄位、題材、指數、券商與分點',
  'a code, a beginning of one, or words of a name': '代號、代號開頭或名稱的字詞',
  'symbol, dataset, field, theme, index, broker or branch': 'symbol、dataset、field、theme、index、broker 或 branch',
  'most hits': '最大結果數',
  'print a line for each publication of a service as it comes, until stopped; free, and without a key':
    '逐行顯示服務的每次發布，直到停止；免費且不需金鑰',
  'datasets to tell of, separated by commas; all when absent': '資料集，以逗號分隔；預設為全部',
  'begin with what was published since a day or time, instead of now': '由某日或某時起的發布開始，而非現在',
  'keep there how far it was told, and go on from it the next time': '記錄進度的檔案，下次由此繼續',
  'how often it asks': '查詢間隔',
  'print what there is and end': '顯示現有內容後結束',
  'print a JSON line for each': '每筆輸出一行 JSON',
  "keep the API key of a service in the system's key store; the key is read from standard input":
    '將服務的 API 金鑰存入系統金鑰庫；金鑰由標準輸入讀取',
  'remove the key of a service from the key store': '由金鑰庫移除服務的金鑰',
  'check partition files of one dataset and publish them as a release': '檢查單一資料集的分割檔並發布為版本',
  'slug, for example bond-yield-curve': '資料集代號，例如 bond-yield-curve',
  '.csv, .ndjson, .json or .parquet, with .gz or .zst where packed; columns named as in the schema or mapped':
    '.csv、.ndjson、.json 或 .parquet，可為 .gz 或 .zst 壓縮檔；欄位名稱須與結構相同或已對應',
  "columns of the file = ours, for example 'date=trade_date,vol=volume:lots->shares'":
    "檔案欄位=本服務欄位，例如 'date=trade_date,vol=volume:lots->shares'",
  "values of our columns that the file lacks, for example 'market=TWSE'": "檔案缺少之欄位的值，例如 'market=TWSE'",
  'columns of the file that are left out': '不匯入的檔案欄位',
  'a kept mapping, by its name or the path of its file': '已儲存的欄位對應，以名稱或檔案路徑指定',
  'let a rule pass:': '接受下列規則的例外：',
  'print one JSON document': '輸出一份 JSON',
  'run every check on partition files of one dataset and publish nothing': '檢查單一資料集的分割檔，不發布',
  'read files as the exchanges publish them, check them and publish what passes': '讀取交易所原始檔案，檢查後發布合格的資料',
  'one of': '可為',
  'files in any order, or folders of them, packed with gzip or zstd or not': '檔案（不限順序）或資料夾，可為 gzip 或 zstd 壓縮檔',
  'day the files were fetched for, YYYY-MM-DD; a body of another day is refused': '檔案的日期，YYYY-MM-DD；日期不符者拒絕',
  'ask the public source of a feed for its files, keep them as they came, check them and publish what passes':
    '向公開來源抓取檔案，保留原檔，檢查後發布合格的資料',
  'the day wanted, YYYY-MM-DD; the newest when absent': '抓取日期，YYYY-MM-DD；預設為最新',
  'the first day wanted; days that are there already are not asked for': '起始日；已有的日期不再抓取',
  'the last day wanted; today when absent': '結束日；預設為今日',
  'ask for days that are there already, too': '已有的日期也重新抓取',
  "fetch each feed when its dataset is due, in Taipei's time, and what is late until it comes":
    '依臺北時間在應公布時抓取各來源，遲到者持續重試',
  'feeds to fetch; all that can be when absent': '要抓取的來源；預設為全部可抓取者',
  'print feeds, when they run next and how they ran last, and end': '列出各來源的下次時間與上次結果後結束',
  'fetch what is due now, and end': '抓取目前應有的資料後結束',
  'with --list: print one JSON document': '與 --list 併用：輸出一份 JSON',
  'publish the files that are dropped into DATA_DIR/inbox, and move them away': '發布放入 DATA_DIR/inbox 的檔案，並將其移走',
  'end when every file that is there was seen to': '處理完現有檔案後結束',
  'print one JSON document a line for everything that happens': '每個事件輸出一行 JSON',
  'refused files that are kept, with their reports': '被拒絕而保留的檔案及其報告',
  'what is kept, newest first': '列出保留的檔案，最新的在前',
  'publish a kept file again, with rules let pass': '接受例外並重新發布保留的檔案',
  'of the file, for example q_0123456789abcdef': '檔案識別碼，例如 q_0123456789abcdef',
  'day the file was fetched for, YYYY-MM-DD; as its name tells it when absent': '檔案的日期，YYYY-MM-DD；預設依檔名',
  'let a kept file go': '捨棄保留的檔案',
  'of the file': '檔案識別碼',
  'tools for an agent over standard input and output, from the data folder, without a key; a service may run beside it':
    '經標準輸入與輸出提供 AI 代理工具，直接讀取資料夾，不需金鑰；可與服務並行',
  'columns of a dataset, as a partition file names them, with an example row': '資料集的欄位與範例',
  'published releases of a dataset': '資料集的已發布版本',
  'releases by age, the served one and those not in use marked': '依時間列出版本，標示提供中與未使用者',
  'hash every part of every release and compare with its manifest': '計算各版本檔案的雜湊並與清單比對',
  'manifest of a release that is kept': '顯示版本的清單',
  'its name, served, or parent, from which the served one was made': '版本名稱、served 或 parent（提供中版本的前一版）',
  'rows that were added, changed or removed between two releases that are kept': '比較兩個版本之間新增、變更與移除的資料',
  'the older release: its name, served, or parent, from which the served one was made': '較舊的版本：名稱、served 或 parent',
  'the newer release': '較新的版本',
  'how to print the rows': '輸出格式',
  'rows of one kind': '僅列一種變動',
  'print also rows that only state another source': '也列出僅來源不同的資料',
  'rows at most; 50 of a table, all in the other formats': '最大筆數；表格預設 50，其他格式為全部',
  'verify a release that is kept and make it the served one, to undo a publication': '驗證版本並改為提供該版本，用於復原發布',
  'as twmd releases list names it': 'twmd releases list 所列的名稱',
  'keep a release for good, whatever the retention': '永久保留版本，不受保留期限影響',
  'as twmd releases list names it, or served': 'twmd releases list 所列的名稱，或 served',
  why: '原因',
  'let the retention decide on a release again': '取消永久保留',
  'say something of a release to whoever reads it, or print what is said': '為版本加上說明，或顯示既有說明',
  'of at most 500 characters': '最多 500 字',
  'take it back': '移除說明',
  'which releases nothing needs any more; --remove lets them go': '列出不再需要的版本；加上 --remove 則刪除',
  'slug, for example bond-yield-curve; every published dataset when absent': '資料集代號，例如 bond-yield-curve；預設為全部已發布的資料集',
  'how long releases are kept that are no longer served, such as 90d; RETENTION when absent':
    '非提供中版本的保留期限，例如 90d；預設為 RETENTION',
  'let them go; without it nothing is changed': '刪除；未指定時不做變更',
  'remove files at once: only while no service runs, whose reads of them would fail': '立即刪除檔案；僅限服務停止時，否則讀取會失敗',
  'move appended rows into the buckets of their keys: the same rows in a new release, with fewer files to open':
    '合併附加的資料：以新版本存放相同資料，減少檔案數',
  'slug, for example institutional-positioning': '資料集代號，例如 institutional-positioning',
  'copy the served releases of another service into a folder of releases, and go on where an earlier pull ended':
    '將另一服務提供中的版本複製到資料夾，並接續上次進度',
  'slugs, separated by commas; all for every dataset that is served there and the plan reads':
    '資料集代號，以逗號分隔；all 為方案可讀取的全部資料集',
  'folder of releases, such as data/releases': '版本資料夾，例如 data/releases',
  'address of the service; TWMD_URL when absent': '服務網址；預設為 TWMD_URL',
  'go on pulling what is published, until stopped': '持續複製新發布的版本，直到停止',
  'how often --follow asks': '--follow 的查詢間隔',
  'print a JSON line for each dataset': '每個資料集輸出一行 JSON',
  'releases as open tables for other engines': '供其他引擎讀取的開放資料表',
  'bring table logs up to what is served; what is missing or damaged is written anew from the releases that are kept':
    '更新資料表紀錄；缺少或損毀的部分由現有版本重建',
  'read every commit of the table logs and compare it with the releases that are kept': '檢查資料表紀錄並與現有版本比對',
  'API keys': 'API 金鑰',
  'seal every key anew under the first of the values in KEY_PEPPER and KEY_ENCRYPTION_KEY':
    '以 KEY_PEPPER 與 KEY_ENCRYPTION_KEY 的第一個值重新加密所有金鑰',
  'create an API key for an e-mail address, on a plan': '為電子郵件地址建立指定方案的 API 金鑰',
  'owner of the key; an account is made when there is none': '金鑰的擁有者；沒有帳號時自動建立',
  'what the key is for': '金鑰用途',
  'copy accounts, keys and usage into a file while the service runs': '在服務執行中備份帳號、金鑰與用量',
  'new file, or a folder in which one is named after the time; the secrets it needs are not in it':
    '新檔案，或依時間命名的資料夾；備份不含密鑰',
  'with a folder: remove older ones made this way until so many are left': '用於資料夾：僅保留最新的幾份備份',
  'check a backup and put it in the place of the state file': '檢查備份並取代目前的狀態檔',
  'a backup made by twmd backup': 'twmd backup 產生的備份',
  'only check it; change nothing': '僅檢查，不做變更',
  'put the newest backup back beside the state file, compare the two, and say what a restore would lose':
    '試還原最新備份並與狀態檔比較，說明還原將遺失的內容',
  'a backup, or the folder that twmd backup writes them into': '備份檔，或 twmd backup 的備份資料夾',
  'check configuration, state, releases, disk and mail, and say what to do': '檢查設定、狀態、版本、磁碟與郵件，並說明處理方式',
  payments: '付款',
  'fetch events the webhook missed, apply all since a day again, and re-read every subscription':
    '補抓遺漏的事件，重新套用某日以來的事件，並更新所有訂閱',
  'YYYY-MM-DD in Taipei; the provider keeps events for 30 days': '臺北時間 YYYY-MM-DD；金流業者保留事件 30 天',
  'webhook endpoints of all accounts, and what is sent to them': '所有帳號的 webhook 端點與訊息',
  'print every endpoint; those that fail first': '列出所有端點，失敗者在前',
  'only those that took no message since one failed': '僅列失敗後未再成功的端點',
  'print one JSON document, with the path of each URL': '輸出一份 JSON，含各網址的路徑',
  'print the messages of thirty days to an endpoint, newest first, with the last attempt of each':
    '列出端點三十天內的訊息與最後一次傳送，最新的在前',
  'an endpoint, as twmd webhooks list prints it': 'twmd webhooks list 所列的端點',
  'only those that are in it': '僅列此狀態的訊息',
  'how many at most': '最大數量',
  'print one JSON document, with every attempt': '輸出一份 JSON，含每次傳送',
  'send a message again, or with --since all that did not arrive; a running service does it within seconds':
    '重送一則訊息，或以 --since 重送所有未送達者；執行中的服務數秒內處理',
  'an endpoint that is enabled': '已啟用的端點',
  'a message, as twmd webhooks deliveries prints it': 'twmd webhooks deliveries 所列的訊息',
  'a day or a time, in Taipei where no offset is written': '日期或時間；未標示時區者為臺北時間',
  'send it nothing more, give up what waits for it, and tell its owner by mail': '停用端點，捨棄待送訊息，並以郵件通知擁有者',
  'send it events again, from now on': '重新啟用端點',
  'print a script that completes twmd commands in a shell': '輸出殼層的自動完成腳本',
}

const TITLES: Readonly<Record<string, string>> = {
  'Usage:': '用法：',
  'Arguments:': '參數：',
  'Options:': '選項：',
  'Commands:': '指令：',
}

/** Text and names of a description that ends in a list of names. */
const LISTED = /^(one of|let a rule pass:) (.*)$/s

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
