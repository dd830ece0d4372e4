/** A number with its thousands apart. */
export const number = (value: number) => value.toLocaleString('en')

/** A table of Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n')

/** Which command made a figure. */
export const from = (command: string) => `Printed by \`${command}\`.`
