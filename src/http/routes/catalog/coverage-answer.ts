import { z } from 'zod'
import { calendarDay, count, timestamp } from '../../kernel/index.ts'
import { DatasetId, HELD, Labels } from './dataset-answer.ts'

export const Coverage = z
  .object({
    dataset: DatasetId,
    ...HELD,
    start_year: z.int().nullable().meta({ description: 'Year of first_date.' }),
    update_timing: z.string().meta({ description: 'When new data is due, in words; times are Taipei.' }),
    delisted_included: z.boolean().meta({ description: 'Whether securities that left the market stay in it.' }),
    markets: z.array(z.string()),
    coverage_type: z.string().meta({ description: 'How it is covered in time, for example daily_time_series.' }),
    scope: z.string().meta({ description: 'What kind of thing is covered, for example government_bond_curve.' }),
    completeness_ratio: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'Share of cells, provenance aside, that hold a value; null where not measured.' }),
    known_gaps: Labels,
    warnings: Labels,
    counted_at: timestamp('When the numbers were counted: at publication; null where nothing is served.').nullable(),
  })
  .meta({ id: 'Coverage' })

export const SymbolCoverage = z
  .object({
    dataset: DatasetId,
    symbol: z.string().meta({ description: 'The symbol as the dataset writes it.' }),
    covered: z.boolean().nullable().meta({ description: 'Whether there are rows of it; null while no release passes its check.' }),
    first_date: calendarDay('First day of its rows; null without rows, or without dates.').nullable(),
    last_date: calendarDay('Last day of its rows; null without rows, or without dates.').nullable(),
    row_count: count('Rows of it; null while no release passes its check.').nullable(),
    warnings: Labels,
  })
  .meta({ id: 'SymbolCoverage' })

export const CoverageList = z
  .object({ data: z.union([z.array(Coverage), z.array(SymbolCoverage)]), data_count: count('Datasets.') })
  .meta({ id: 'CoverageList', description: 'Rows of Coverage; with symbol, rows of SymbolCoverage.' })

export const CoverageOverview = z
  .object({
    datasets_count: count('Datasets on sale.'),
    datasets_with_rows: count('Of them, those that hold rows now.'),
    row_count: count('Rows of all datasets together.'),
    tickers_count: count('Distinct tickers over all datasets that are by ticker.'),
    first_date: calendarDay('Earliest day of any dataset.').nullable(),
    last_date: calendarDay('Latest day of any dataset.').nullable(),
    markets: z.array(z.string()),
    counted_at: timestamp('Newest of the rows’ counts; null where nothing is served.').nullable(),
    data: z.array(Coverage),
    data_count: count('Datasets.'),
  })
  .meta({ id: 'CoverageOverview' })
