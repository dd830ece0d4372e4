import type { AddressError } from '../arguments/address.ts'
import { findNearest } from '../arguments/nearest.ts'
import type { Catalogue, Tool } from '../catalogue/catalogue.ts'
import type { ToolViewOptions } from '../catalogue/visible-tools.ts'
import { getOperationIndex } from './operation-index.ts'
import { splitWords } from './word-forms.ts'

/** The highest number of names that an error offers in place of an unknown one. */
const maxNearest = 3
/** The longest unknown name or address that an error repeats and compares, in characters. */
const maxNameLength = 500

const cutName = (name: string) => (name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name)

/**
 * Explains why a view has no tool of a name: the parameter that would show it, or else the nearest names, of resources
 * too.
 * @param isReachable returns whether the view can call a tool of this name
 */
export function explainMissingTool(
  name: string,
  catalogue: Catalogue,
  view: ToolViewOptions,
  isReachable: (name: string) => boolean,
): string {
  const said = `There is no tool ${JSON.stringify(cutName(name))}`
  const tool = catalogue.tools.get(name) ?? catalogue.readTools.get(name)
  if (isReachable(name)) return `${said} in this list: call it by call_operation, with its name and arguments.`
  if (tool) return `${said} in this view. ${explainHiddenTool(tool, catalogue, view)}`
  const isKnown = (one: string) => isReachable(one) || catalogue.readTools.has(one)
  const nearest = getOperationIndex(catalogue).find(name, maxNearest, isKnown)
  if (nearest.length === 0) return `${said}.`
  const places = nearest.map((entry) => {
    const resource = isReachable(entry.name) ? undefined : catalogue.readTools.get(entry.name)
    return resource
      ? `${entry.name} (the resource ${catalogue.resources.getAddress(resource.operation.path)})`
      : entry.name
  })
  return `${said}. The nearest are ${places.join(', ')}.`
}

/** Says which parameters of the address show a tool that a view hides. */
function explainHiddenTool({ operation }: Tool, { resources }: Catalogue, view: ToolViewOptions): string {
  const { toolset, hints, kind, path } = operation
  const isOutside = view.toolsets !== null && (toolset === null || !view.toolsets.includes(toolset))
  const toolsets =
    toolset === null ? 'without toolsets' : `with toolsets=${[...(view.toolsets ?? []), toolset].sort().join(',')}`
  const parameters = [
    ...(view.readonly && !hints.readOnlyHint ? ['without readonly=true'] : []),
    ...(isOutside ? [toolsets] : []),
    ...(kind === 'resource' && !view.readTools && !view.search ? ['with read=tools'] : []),
  ]
  const resource = kind === 'resource' ? ` It is the resource ${resources.getAddress(path)}.` : ''
  return `The address shows it ${parameters.join(' and ')}.${resource}`
}

/**
 * Explains why there is no resource at an address, with the nearest addresses if no resource is there at all.
 * @param uri the address, or the name of an operation in its place
 */
export function explainMissingResource(uri: string, { message }: AddressError, { resources }: Catalogue): string {
  if (!message.startsWith('There is no such') && !message.startsWith('The address is not')) return message
  const known = [
    ...resources.statics.map((entry) => ({ ...entry, address: entry.uri })),
    ...resources.templates.map((entry) => ({ ...entry, address: entry.uriTemplate })),
  ]
  const named = known.filter(({ name }) => name === uri)
  const text = getLastWords(uri.slice(0, maxNameLength))
  const nearest =
    named.length > 0 ? named : findNearest(known, text, ({ address }) => getLastWords(address), maxNearest)
  return nearest.length === 0
    ? message
    : `${message} The nearest are ${nearest.map(({ address }) => address).join(', ')}`
}

/** Returns the words of an address after its host, without ids and the query. */
function getLastWords(address: string): string {
  const path = address
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
    .replace(/[?#{].*$/s, (rest) => (rest.startsWith('{') ? rest : ''))
  return splitWords(path.replace(/\{[^{}]*\}|[0-9a-f-]{32,}/gi, ''))
    .filter((word) => !/^v?\d+$/.test(word))
    .join(' ')
}
