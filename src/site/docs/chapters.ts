import type { Words } from '../../core/index.ts'

/** A Markdown file of the project that is shown as a page. Its English title is its first heading. */
export interface Guide {
  /** From the project's root. */
  readonly file: string
  /** Its address below `/docs/`. */
  readonly slug: string
  readonly titleZh: string
  /** What it is about, in a sentence. */
  readonly says: Words
}

/** Guides that are read together. */
export interface Chapter {
  readonly title: Words
  readonly guides: readonly Guide[]
}

const guide = (slug: string, titleZh: string, en: string, zh: string, file = `docs/${slug}.md`): Guide => ({
  file,
  slug,
  titleZh,
  says: { en, zh },
})

/** Every guide, in the order they are read. */
export const CHAPTERS: readonly Chapter[] = [
  {
    title: { en: 'Read data', zh: '讀取資料' },
    guides: [
      guide(
        'quickstart',
        '快速上手',
        'From a fresh checkout to a first read and data of your own, in ten minutes.',
        '十分鐘內從下載程式到第一次讀取與發布自己的資料。',
      ),
      guide(
        'reading',
        '讀取',
        'Datasets, their parameters and prices, paging, releases, and what every answer says.',
        '各資料集的參數、價格、分頁、版本，以及每份回覆所附的說明。',
      ),
      guide(
        'formats',
        '格式',
        'JSON, NDJSON, CSV, Arrow and Parquet: how each is asked for and typed.',
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
        'typescript',
        'TypeScript 套件',
        'The package for TypeScript and JavaScript, with typed reads, pages, Arrow, updates and webhooks.',
        'TypeScript 與 JavaScript 套件：具型別的讀取、分頁、Arrow、更新與 webhook。',
        'clients/typescript/README.md',
      ),
      guide(
        'python',
        'Python 套件',
        'The package for Python: reads into Arrow tables, pandas and polars frames.',
        'Python 套件：讀取為 Arrow 資料表、pandas 或 polars 的資料框。',
      ),
      guide(
        'command-line',
        '在命令列讀取',
        'Rows, fields and search in a terminal, a pipe or a file, and publications as they come.',
        '在終端機、管線或檔案中取得資料、欄位與搜尋結果，並即時追蹤發布內容。',
      ),
      guide(
        'as-of-fields',
        '依時點查詢欄位',
        'Fields of many companies at once, as they were known on a day.',
        '一次查詢多家公司的欄位，並以某日當時已知的內容為準。',
      ),
      guide('search', '搜尋', 'Find companies, datasets, fields, indices and brokers.', '尋找公司、資料集、欄位、指數與券商。'),
      guide('updates', '更新紀錄', 'What was published since one looked last, and how to follow it.', '追蹤上次查看之後發布的內容。'),
      guide(
        'webhooks',
        'Webhook 通知',
        'Being told of new data, late data and low credits, signed and retried.',
        '接收新資料、資料延遲與點數不足的通知，附簽章並自動重試。',
      ),
      guide('data-notes', '資料說明', 'What figures mean where a name alone does not say it.', '名稱不足以說明時，數值代表的意義。'),
      guide(
        'adjusted-prices',
        '還原股價',
        'How dividends and splits are taken out of a price history.',
        '如何將股利與分割的影響自股價歷史中還原。',
      ),
    ],
  },
  {
    title: { en: 'Whole tables', zh: '整張資料表' },
    guides: [
      guide(
        'tables',
        '開放資料表',
        'Every dataset is a Delta table that engines on the same disk read in place.',
        '每個資料集都是 Delta 資料表，同一磁碟上的引擎可直接讀取。',
      ),
      guide(
        'sharing',
        '資料共享',
        'Datasets over the Delta Sharing protocol, for engines elsewhere.',
        '透過 Delta Sharing 協定，供其他地方的引擎讀取資料集。',
      ),
      guide(
        'openbb',
        'OpenBB Workspace 小工具',
        'Every dataset as a widget of OpenBB Workspace.',
        '在 OpenBB Workspace 中以小工具使用所有資料集。',
      ),
      guide('mcp', 'AI 代理（MCP）', 'Five tools by which agents read.', '供 AI 代理讀取資料的五個工具。'),
      guide(
        'mirrors',
        '檔案與鏡像',
        'Read the Parquet files of a release, or keep a copy of whole releases.',
        '讀取某一版本的 Parquet 檔案，或保存整個版本的副本。',
      ),
      guide('release-history', '版本歷史', 'Compare, keep, annotate and let go of releases.', '比較、保留、註記與釋出版本。'),
    ],
  },
  {
    title: { en: 'Accounts', zh: '帳戶' },
    guides: [
      guide(
        'accounts-and-limits',
        '帳戶與限制',
        'Signing in, keys, plans, credits, limits and usage.',
        '登入、金鑰、方案、點數、限制與用量。',
      ),
      guide('payments', '付款', 'Checkout, subscriptions and the payment provider.', '結帳、訂閱與金流服務。'),
    ],
  },
  {
    title: { en: 'Publish data', zh: '發布資料' },
    guides: [
      guide('loading-data', '載入資料', 'Files of the exchanges, or files of one’s own, to a release.', '由交易所檔案或自有檔案產生版本。'),
      guide('fetching', '抓取', 'Files fetched from public sources, by hand and by schedule.', '以手動或排程自公開來源抓取檔案。'),
      guide(
        'inbox',
        '收件匣',
        'Files dropped into a folder are checked, published and moved away.',
        '放入資料夾的檔案經檢核後發布並移走。',
      ),
      guide('mappings', '欄位對應', 'Files whose columns have other names and units.', '欄位名稱與單位不同的檔案。'),
      guide('checks', '檢核', 'What every row must pass before it is published.', '每一列資料發布前必須通過的檢核。'),
      guide('add-a-dataset', '新增資料集', 'A dataset is one file; this writes one.', '一個資料集就是一個檔案；本篇示範如何撰寫。'),
      guide(
        'add-a-feed',
        '新增資料來源',
        'A feed reads one publication of an exchange; this writes one.',
        '一個資料來源讀取交易所的一種公告；本篇示範如何撰寫。',
      ),
    ],
  },
  {
    title: { en: 'Operate', zh: '營運' },
    guides: [
      guide('operating', '營運', 'Configuration, secrets, probes, logs, backup and upgrades.', '設定、密鑰、探測、紀錄、備份與升級。'),
      guide(
        'deploy',
        '部署',
        'A container, a systemd unit and a proxy in front.',
        '容器、systemd 單元與前端代理。',
        'docs/deploy/README.md',
      ),
      guide(
        'metrics',
        '監控指標',
        'What the service counts, and where a monitoring system reads it.',
        '服務統計的項目，以及監控系統的讀取方式。',
      ),
      guide(
        'upgrading',
        '升級與還原舊版',
        'How a version is replaced, and how to go back to the one before.',
        '如何更換版本，以及如何回到前一版本。',
      ),
      guide(
        'damage-and-recovery',
        '損毀與復原',
        'What is found and mended by itself, and what an operator does.',
        '哪些問題會自行發現與修復，哪些由營運者處理。',
      ),
      guide(
        'hostile-campaign',
        '攻擊演練',
        'What is tried against a running service, and what held.',
        '對執行中的服務嘗試了哪些攻擊，以及結果如何。',
      ),
      guide('scale-out', '橫向擴充', 'What comes after one process on one machine.', '單機單一程序之後的作法。'),
      guide(
        'architecture',
        '架構',
        'How one read and one publication work, and where to find what in the code.',
        '一次讀取與一次發布的流程，以及程式碼的所在位置。',
        'ARCHITECTURE.md',
      ),
      guide(
        'modules',
        '模組',
        'Every module of the code, what it may import, and its libraries.',
        '程式的所有模組、可匯入的對象與所用的函式庫。',
      ),
      guide('data-folder', '資料夾', 'Every file that a service stores.', '服務所儲存的每個檔案。'),
      guide('benchmarks', '效能測試', 'What was measured, on which data and machine.', '量測的項目、資料與機器。', 'bench/README.md'),
    ],
  },
  {
    title: { en: 'Look up', zh: '查閱' },
    guides: [
      guide('glossary', '詞彙表', 'Words of this service and what they mean.', '本服務的用詞與意義。'),
      guide(
        'changes',
        '變更紀錄',
        'What was added, changed and fixed, newest first.',
        '新增、變更與修正的項目，最新的在前。',
        'CHANGELOG.md',
      ),
      guide(
        'adr',
        '設計決策',
        'Decisions worth arguing about: context, decision, consequence.',
        '值得討論的決策：背景、決定與後果。',
        'docs/adr/README.md',
      ),
    ],
  },
]
