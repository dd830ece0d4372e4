/**
 * Describes the tags in the order of their first use.
 * @param descriptions the descriptions that areas give
 */
export function describeTags(
  names: Iterable<string>,
  descriptions: Readonly<Record<string, string>>,
): { name: string; description?: string }[] {
  return [...new Set(names)].map((name) => {
    const description = descriptions[name]
    return { name, ...(description === undefined ? {} : { description }) }
  })
}
