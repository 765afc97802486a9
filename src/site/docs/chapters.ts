import type { Words } from '../../core/index.ts'

/** A Markdown file with a page on the site. The first heading of the file is the English title. */
export interface Guide {
  readonly file: string
  /** Path below `/docs/`. */
  readonly slug: string
  readonly titleZh: string
  readonly says: Words
}

/** Customers read data. Operators run the service, publish data or change the code. */
export type Readers = 'customers' | 'operators'

export interface Chapter {
  readonly title: Words
  readonly readers: Readers
  readonly guides: readonly Guide[]
}

const guide = (slug: string, titleZh: string, en: string, zh: string, file = `docs/${slug}.md`): Guide => ({
  file,
  slug,
  titleZh,
  says: { en, zh },
})

/** Guides in reading order. Source of `docs/index.md` and of the pages below `/docs`. */
export const CHAPTERS: readonly Chapter[] = [
  {
    title: { en: 'Analysts', zh: '分析人員' },
    readers: 'customers',
    guides: [
      guide('reading', '讀取資料', 'Parameters, order, ranges, cross-sections and releases.', '參數、排序、數值範圍、單日全部資料與版本。'),
      guide('datasets', '資料集一覽', 'All datasets with plan, price and parameters.', '所有資料集的方案、價格與參數。'),
      guide(
        'responses',
        '回應內容',
        'Headers, envelopes, reasons for empty responses, and errors.',
        '標頭、外層欄位、無資料的原因與錯誤。',
      ),
      guide(
        'formats',
        '格式',
        'Reads as JSON, NDJSON, CSV, Arrow and Parquet, and the types of the values.',
        'JSON、NDJSON、CSV、Arrow 與 Parquet 的取得方式與型別。',
      ),
      guide(
        'examples',
        '範例程式',
        'Programs for curl, Python, R, TypeScript and Excel.',
        'curl、Python、R、TypeScript 與 Excel 的範例程式。',
        'examples/README.md',
      ),
      guide(
        'python',
        'Python 套件',
        'The Python package: reads into Arrow tables, pandas and polars frames.',
        'Python 套件：讀取為 Arrow 資料表、pandas 或 polars 的資料框。',
      ),
      guide(
        'typescript',
        'TypeScript 套件',
        'The TypeScript and JavaScript package: typed reads, pages, Arrow, updates and webhooks.',
        'TypeScript 與 JavaScript 套件：具型別的讀取、分頁、Arrow、更新與 webhook。',
        'clients/typescript/README.md',
      ),
      guide(
        'command-line',
        '在命令列讀取',
        'Commands that print rows, fields, search results and new publications.',
        '以指令取得資料、欄位與搜尋結果，並即時追蹤新發布的資料。',
      ),
      guide('search', '搜尋', 'Find companies, datasets, fields, indices and brokers.', '尋找公司、資料集、欄位、指數與券商。'),
      guide(
        'coverage',
        '涵蓋範圍與更新時效',
        'Available rows, the distribution of their values, and their freshness.',
        '各資料集有哪些資料、數值如何分布，以及是否為最新。',
      ),
      guide(
        'as-of-fields',
        '依歷史時點查詢欄位',
        'Fields of many companies in one request, with the values that were known on a given day.',
        '一次查詢多家公司的欄位，並可指定日期，取得當日已公布的數值。',
      ),
      guide('sql', 'SQL 查詢', 'Joins, aggregates and screens over all datasets, in one query.', '以 SQL 跨資料集合併、彙總與篩選。'),
      guide('data-notes', '資料說明', 'Definitions and limits of figures that need an explanation.', '部分數值的詳細定義與注意事項。'),
      guide(
        'dataset-register',
        '官方資料表一覽',
        'Every table in the open-data lists of the exchanges, and the dataset that has its figures.',
        '各交易所開放資料清單中的每張表，以及收錄其數值的資料集。',
      ),
      guide(
        'adjusted-prices',
        '還原股價',
        'Prices without the jumps that dividends and splits cause.',
        '還原除權息與股票分割影響後的股價，以及計算方式。',
      ),
      guide(
        'updates',
        '更新紀錄',
        'The feed of publications, and how to keep a copy of the data up to date.',
        '查詢已發布的更新，並讓自己的資料保持最新。',
      ),
      guide(
        'webhooks',
        'Webhook 通知',
        'Signed messages for new data, overdue data and low credits.',
        '以 Webhook 接收新資料、資料逾期與點數不足的通知，附簽章。',
      ),
      guide(
        'webhook-delivery',
        'Webhook 傳送',
        'Retries and order of messages, disabled endpoints and new secrets.',
        '訊息的重試與順序、端點停用與密鑰更換。',
      ),
      guide('accounts-and-limits', '帳戶與限制', 'Sign-in, keys, plans, credits and limits.', '登入、金鑰、方案、點數與限制。'),
      guide(
        'usage',
        '用量與費用',
        'Totals of your usage, the ledger of charged reads, and an estimate of the next invoice.',
        '以合計與明細查詢用量，並預估下期費用。',
      ),
      guide(
        'browser-sessions',
        '瀏覽器登入',
        'A browser session whose cookie scripts cannot read.',
        '在瀏覽器中登入，網頁程式碼無法讀取登入權杖。',
      ),
      guide(
        'repeated-calls',
        '安全地重複呼叫',
        'How to repeat a call after its response was lost, without a duplicate.',
        '未收到回應時可重新呼叫，不會重複建立。',
      ),
      guide(
        'openbb',
        'OpenBB Workspace 小工具',
        'Every dataset as a widget of OpenBB Workspace.',
        '在 OpenBB Workspace 中以小工具使用所有資料集。',
      ),
      guide('mcp', 'AI 代理（MCP）', 'Tools with which AI agents read the data.', '供 AI 代理讀取資料的工具。'),
    ],
  },
  {
    title: { en: 'Data engineers', zh: '資料工程師' },
    readers: 'customers',
    guides: [
      guide(
        'tables',
        '開放資料表',
        'Every dataset is a Delta table that engines on the same disk read directly.',
        '每個資料集都是 Delta 資料表，同一磁碟上的引擎可直接讀取。',
      ),
      guide(
        'sharing',
        '資料共享',
        'Datasets as remote tables, over the Delta Sharing protocol.',
        '透過 Delta Sharing 協定，從遠端讀取資料集。',
      ),
      guide('files', '版本檔案', 'Read the Parquet files of a release by URL.', '以網址讀取某一版本的 Parquet 檔案。'),
      guide('mirrors', '鏡像', 'Copy whole releases to another machine.', '將整個版本複製到另一台主機。'),
    ],
  },
  {
    title: { en: 'Operators', zh: '營運人員' },
    readers: 'operators',
    guides: [
      guide(
        'quickstart',
        '快速上手',
        'A first read and your own data in ten minutes, from a fresh checkout.',
        '十分鐘內完成安裝、第一次讀取，並匯入自己的資料。',
      ),
      guide('operating', '營運', 'Settings, secrets, health checks and stopping the service.', '設定、密鑰、健康檢查與停止服務。'),
      guide(
        'deploy',
        '部署',
        'A container, a systemd unit and a reverse proxy.',
        '容器、systemd 單元與反向代理。',
        'docs/deploy/README.md',
      ),
      guide('monitoring', '監控', 'Probes, the admin API and the operator page.', '健康檢查、管理 API 與營運者頁面。'),
      guide(
        'customer-accounts',
        '客戶帳戶',
        'Plans, limits, credits, suspensions and the audit log.',
        '管理客戶的方案、限制、點數、停用與稽核紀錄。',
      ),
      guide(
        'metrics',
        '監控指標',
        'All metrics of the service, and the configuration of Prometheus.',
        '服務的各項監控指標與 Prometheus 設定。',
      ),
      guide('alerts', '警示處理', 'Cause and first steps for each alert.', '各項警示的原因與處理步驟。'),
      guide(
        'backups',
        '備份與狀態檔',
        'Backups of accounts, keys and usage, and the behaviour on a full disk.',
        '備份與還原帳戶、金鑰與用量；磁碟已滿時的行為。',
      ),
      guide('load', '記憶體與負載', 'Caches, connections and limits under load.', '快取、連線數與高負載時的限制。'),
      guide(
        'public-access',
        '免金鑰讀取',
        'Reads by people without an account, and by web pages of other origins.',
        '開放未登入者讀取，以及其他網域的網頁讀取。',
      ),
      guide(
        'upgrading',
        '升級與還原舊版',
        'How to install a new version, and how to go back to the previous version.',
        '升級至新版本，以及退回前一版本的步驟。',
      ),
      guide('production', '上線之前', 'Logs, mail delivery, alerts and invoices.', '日誌、郵件送達、警示通知與統一發票。'),
      guide(
        'moving',
        '搬遷至另一台主機',
        'Move accounts, keys, usage and releases to another machine.',
        '將帳戶、金鑰、用量與各版本搬遷至另一台主機。',
      ),
      guide(
        'damage-and-recovery',
        '損毀與復原',
        'How the service finds damaged files, and how you repair them.',
        '服務如何偵測損毀的檔案，以及如何修復。',
      ),
      guide(
        'privacy',
        '個人資料',
        'Stored personal data with periods, and how to export and erase it.',
        '儲存的個人資料與保存期間，以及匯出與刪除方式。',
      ),
      guide('payments', '付款', 'Checkout, subscriptions and the payment provider.', '結帳、訂閱與金流服務。'),
      guide(
        'payments-demo',
        '在本機試用付款',
        'A test of the complete payment without a Stripe account.',
        '不需 Stripe 帳號即可測試完整的付款流程。',
      ),
      guide(
        'buckets',
        '物件儲存體中的資料表',
        'Copy the releases to object storage, and read them with query engines.',
        '將各版本複製到物件儲存體，並以查詢引擎讀取。',
      ),
      guide('scale-out', '橫向擴充', 'Read replicas and load balancing over several machines.', '以多台主機分擔讀取與負載平衡。'),
      guide('hostile-campaign', '攻擊演練', 'Tests that attack a running service, and their results.', '對執行中服務的攻擊測試與結果。'),
    ],
  },
  {
    title: { en: 'Data publishers', zh: '資料發布人員' },
    readers: 'operators',
    guides: [
      guide('loading-data', '匯入資料', 'Publish a release from exchange files or your own files.', '由交易所檔案或自有檔案產生版本。'),
      guide('partitions', '自有檔案', 'Publish your own files with the column names of a dataset.', '發布欄位名稱與資料集相同的自有檔案。'),
      guide('feeds', '資料來源一覽', 'List of feeds, with the exchange files that each one reads.', '各資料來源及其讀取的交易所檔案。'),
      guide(
        'refused-files',
        '遭拒檔案與更正',
        'How to accept a refused file, change the trading calendar and undo a publication.',
        '處理遭拒檔案、更正交易日曆，以及撤回發布。',
      ),
      guide('inbox', '收件匣', 'A folder whose files are checked, published and archived.', '放入資料夾的檔案會自動檢查、發布並封存。'),
      guide('fetching', '下載', 'Fetch files from public sources.', '自公開來源下載檔案。'),
      guide(
        'sources',
        '下載來源',
        'The source of each feed, and the sources that need consent.',
        '各資料來源的下載網址，以及須取得同意的網站。',
      ),
      guide('schedule', '排程下載', 'Fetch new data automatically when it is due.', '於資料預定公布時間自動下載。'),
      guide('mappings', '欄位對應', 'Load files with other column names and units.', '匯入欄位名稱或單位不同的檔案。'),
      guide('checks', '檢查', 'The checks that every row must pass before publication.', '每一列資料發布前必須通過的檢查。'),
      guide(
        'release-history',
        '版本歷史',
        'Compare, pin, annotate, delete and compact releases.',
        '比較、永久保留、註記、刪除與合併版本。',
      ),
    ],
  },
  {
    title: { en: 'Contributors', zh: '開發人員' },
    readers: 'operators',
    guides: [
      guide(
        'architecture',
        '架構',
        'The steps of a read and of a publication, and a map of the code.',
        '一次讀取與一次發布的流程，以及程式碼的所在位置。',
        'ARCHITECTURE.md',
      ),
      guide('modules', '模組', 'All modules of the code, with their import rules and libraries.', '所有程式模組、匯入規則與使用的函式庫。'),
      guide('data-folder', '資料夾內容', 'Every file that a service stores.', '服務所儲存的每個檔案。'),
      guide('add-a-dataset', '新增資料集', 'Write the one file that declares a dataset.', '以一個檔案宣告新的資料集。'),
      guide(
        'dataset-properties',
        '資料集的屬性',
        'All properties of a dataset file, and the choice of envelope and publication mode.',
        '資料集的各項屬性，以及回應外層結構與發布方式的選擇。',
      ),
      guide(
        'datasets-in-sql',
        '以 SQL 宣告資料集',
        'Compute a dataset from others with one statement.',
        '以一個 SQL 陳述式，由其他資料集計算出新的資料集。',
      ),
      guide(
        'add-a-feed',
        '新增資料來源',
        'Write a feed, which reads one publication of an exchange.',
        '撰寫資料來源程式，讀取交易所公布的一種報表。',
      ),
      guide(
        'benchmarks',
        '效能測試',
        'The benchmarks, their data and the latest results.',
        '各項效能測試的內容、資料與最新結果。',
        'bench/README.md',
      ),
      guide('adr', '設計決策', 'Design decisions with context and consequences.', '各項設計決策的背景、決定與後果。', 'docs/adr/README.md'),
      guide(
        'changes',
        '變更紀錄',
        'Added, changed and fixed features, newest first.',
        '新增、變更與修正的項目，最新的在前。',
        'CHANGELOG.md',
      ),
      guide('glossary', '詞彙表', 'Terms of this service and their meaning.', '本服務的用詞與意義。'),
    ],
  },
]
