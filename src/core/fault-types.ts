/** What can be wrong with a value that was sent, as `type` names it in every answer. */
export const FAULT_TYPES = {
  missing: 'It has to be sent.',
  empty: 'It was sent without a value.',
  unknown_parameter: 'Nothing of that name is taken here.',
  repeated_parameter: 'It was sent more than once.',
  repeated_value: 'It names a value twice.',
  wrong_type: 'Text, number, object or another kind of value is wanted.',
  enum: 'It is none of the words that are taken.',
  unknown_field: 'It names a field that does not exist.',
  pattern: 'It does not have the form of such a value.',
  characters: 'It holds characters no value has.',
  int_range: 'It is not a whole number between the bounds.',
  bool: 'It is neither true nor false.',
  date: 'It is not a day.',
  timestamp: 'It is not a moment.',
  reused_name: 'It named another call before.',
  range: 'It does not fit the other parameters, the present day, or what a column can hold.',
  too_many: 'It holds more values than are taken.',
  too_long: 'It holds more characters than are taken.',
  email: 'It is not one plain address.',
  url: 'It is not an address of this service.',
} as const satisfies Readonly<Record<string, string>>

export type FaultType = keyof typeof FAULT_TYPES
