import { z } from 'zod'

/** Known gaps and warnings, as in all responses. */
export const Labels = z.array(z.string()).meta({
  description: 'Labels. `synthetic_sample_data`: the rows are synthetic samples, not market data.',
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

/** Known gaps: labels, and their descriptions. */
export const KNOWN_GAPS = { known_gaps: Labels, known_gap_notes: GapNotes }
