/**
 * Fills a URI template with arguments: members of the path, and the rest as a query. Filters and sorters become JSON.
 * Source: RFC 6570.
 */
export function formatResourceUri(template: string, args: Readonly<Record<string, unknown>>): string {
  const used = new Set<string>()
  const address = template.replace(/\{\?[^}]*\}$/, '').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    used.add(name)
    return encodeURIComponent(String(args[name]))
  })
  const query = Object.entries(args)
    .filter(([name]) => !used.has(name))
    .map(([name, value]) => `${name}=${encodeURIComponent(formatValue(name, value))}`)
  return query.length === 0 ? address : `${address}?${query.join('&')}`
}

function formatValue(name: string, value: unknown): string {
  if (name === 'filters') return JSON.stringify(listConditions(value as Record<string, Record<string, unknown>>))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Turns `{field: {operator: value}}` into the list of conditions that the API takes. */
const listConditions = (filters: Record<string, Record<string, unknown>>) =>
  Object.entries(filters).flatMap(([field, conditions]) =>
    Object.entries(conditions).map(([operator, value]) => ({ field, operator, value })),
  )
