import { z } from 'zod'

export const Labels = z.array(z.string()).meta({
  description:
    'Known gaps or warnings, as labels. The label `synthetic_sample_data` means that the rows are synthetic samples, not market data.',
})

const GapNotes = z
  .array(
    z
      .object({
        label: z.string(),
        description: z.string(),
        description_zh: z.string().meta({ description: '`description` in Chinese.' }),
      })
      .meta({ id: 'GapNote' }),
  )
  .meta({ description: 'Explanation of each label in `known_gaps`, in the same order.' })

export const AsOf = z
  .object({
    known_at: z.string().nullable().meta({
      description:
        'Column with the announcement day of a row. Reads with an earlier `as_of` omit the row. Null if the dataset has no such column.',
    }),
    description: z.string().meta({ description: 'Rows that `as_of` returns, as a sentence.' }),
    description_zh: z.string().meta({ description: '`description` in Chinese.' }),
  })
  .meta({ id: 'AsOf', description: 'Meaning of the parameter `as_of` of reads.' })

export const KNOWN_GAPS = { known_gaps: Labels, known_gap_notes: GapNotes }
