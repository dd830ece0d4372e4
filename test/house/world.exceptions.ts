/** What tests still reach for, by parts of the tests. The numbers only fall: lower them with what you take away. */
export const exceptions: Readonly<Record<'sql' | 'insides', Readonly<Record<string, number>>>> = {
  sql: {
  },
  insides: {
  },
}
