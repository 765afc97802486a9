import { z } from 'zod'

const text = (description: string) => z.string().meta({ description })

const Control = z
  .object({
    paramName: text('Parameter of the read.'),
    type: z.enum(['date', 'text', 'number', 'boolean', 'endpoint']),
    label: z.string(),
    description: z.string(),
    value: z.union([z.string(), z.number()]).nullable().meta({
      description:
        'Initial value of the control. Null if the control starts empty. The read omits the parameter while the control is empty.',
    }),
    show: z.boolean(),
    optional: z.boolean(),
    multiSelect: z.boolean().optional(),
    multiple: z.boolean().optional(),
    options: z.array(z.object({ label: z.string(), value: z.string() })).optional(),
    optionsEndpoint: text('Path of the endpoint that lists the options, starting with a slash.').optional(),
  })
  .meta({ id: 'WorkspaceControl' })

export const Options = z
  .array(
    z.object({
      label: text('Code and name of the option. Users can type the code or the name.'),
      value: text('Value of the parameter.'),
      extraInfo: z
        .object({ description: text('Further description, for example type and industry.'), rightOfDescription: text('Market.') })
        .meta({ description: 'Texts shown with the label. Texts that are not available are empty.' }),
    }),
  )
  .meta({ id: 'WorkspaceOptions' })

export const CELL_TYPES = ['text', 'number', 'boolean', 'dateString', 'object'] as const

const ColumnDefinition = z
  .object({
    field: text('Column of the rows.'),
    headerName: z.string(),
    headerTooltip: z.string(),
    cellDataType: z.enum(CELL_TYPES),
    chartDataType: z.enum(['category', 'series', 'time', 'excluded']),
    formatterFn: z.string().optional(),
    pinned: z.enum(['left', 'right']).optional(),
    hide: z.boolean().optional(),
  })
  .meta({ id: 'WorkspaceColumn' })

export type WorkspaceWidget = z.output<typeof Widget>

const Widget = z
  .object({
    name: z.string(),
    description: z.string(),
    category: z.string(),
    subCategory: z.string(),
    type: z.literal('table'),
    endpoint: text('Path of the read, without the leading slash.'),
    gridData: z.object({ w: z.int(), h: z.int() }),
    params: z.array(Control),
    source: z.array(z.string()),
    refetchInterval: z.literal(false).meta({ description: 'Always false: automatic refresh is off, because each read costs credits.' }),
    staleTime: z.int(),
    data: z.object({
      dataKey: text('Path of the rows in the response, with dots between levels.'),
      table: z.object({
        enableCharts: z.boolean(),
        showAll: z.boolean(),
        chartView: z
          .object({ enabled: z.boolean(), chartType: z.literal('line'), cellRangeCols: z.record(z.string(), z.array(z.string())) })
          .optional(),
        columnsDefs: z.array(ColumnDefinition),
      }),
    }),
  })
  .meta({ id: 'WorkspaceWidget' })

export const Widgets = z.record(z.string(), Widget).meta({ id: 'WorkspaceWidgets' })

const Placed = z.object({
  i: text('Id of a widget.'),
  x: z.int(),
  y: z.int(),
  w: z.int(),
  h: z.int(),
  groups: z.array(z.string()),
})

export const Apps = z
  .array(
    z.object({
      name: z.string(),
      description: z.string(),
      img: z.string(),
      allowCustomization: z.boolean(),
      tabs: z.record(z.string(), z.object({ id: z.string(), name: z.string(), layout: z.array(Placed) })),
      groups: z.array(
        z.object({
          name: z.string(),
          type: z.enum(['param', 'endpointParam']),
          paramName: z.string(),
          defaultValue: z.string(),
          widgetIds: z.array(z.string()),
        }),
      ),
      prompts: z.array(z.string()),
    }),
  )
  .meta({ id: 'WorkspaceApps' })
