/** Formats a number with separators between its thousands. */
export const formatNumber = (value: number) => value.toLocaleString('en')

/** Formats a table in Markdown. */
export const formatTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows.map((row) => `| ${row.join(' | ')} |`)].join(
    '\n',
  )

/** Formats the command that printed a figure. */
export const formatSource = (command: string) => `Printed by \`${command}\`.`
