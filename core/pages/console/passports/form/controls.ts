/** The texts of a form by the names of its controls, as a browser sends them. */
export type FormTexts = Readonly<Record<string, string>>

/**
 * Names of controls are paths of the content: `fields.parts[0].weight`. Names of fields may have dots and brackets
 * themselves, which are escaped. Marks after a tilde say more about a control.
 */
const escapes: Readonly<Record<string, string>> = { '~': '~0', '.': '~1', '[': '~2', ']': '~3' }
const escapeName = (name: string): string => name.replace(/[~.[\]]/g, (sign) => escapes[sign] ?? sign)

export const joinControl = (parent: string, name: string): string => `${parent}.${escapeName(name)}`
export const getItemControl = (list: string, index: number): string => `${list}[${index}]`

/** The control that says how many elements a list has. */
export const getCountControl = (list: string): string => `${list}~n`
/** The control that says that an object which may be left out is there. */
export const getOpenControl = (object: string): string => `${object}~o`
/** The control with those members of an object, as JSON, of which the form knows nothing. */
export const getRestControl = (object: string): string => `${object}~r`

/** Returns the id of a control. A name of a field may have spaces, an id may not. */
export const getControlId = (control: string): string => encodeURIComponent(control)

/** The most elements that a list of a form can have. */
const maxItems = 500

/** Returns the number of elements of a list. */
export function getItemCount(texts: FormTexts, list: string): number {
  const text = texts[getCountControl(list)] ?? '0'
  return /^\d{1,3}$/.test(text) ? Math.min(maxItems, Number(text)) : 0
}

/** Adds an empty element to a list, or opens an object that may be left out. */
export function addItem(texts: FormTexts, control: string): FormTexts {
  if (control.endsWith('~o')) return { ...texts, [control]: '1' }
  const count = Math.min(maxItems, getItemCount(texts, control) + 1)
  return { ...texts, [getCountControl(control)]: String(count) }
}

/** Removes an element of a list, so that those after it move up, or an object with all that was written in it. */
export function removeItem(texts: FormTexts, control: string): FormTexts {
  const [, list = '', position = ''] = /^(.*)\[(\d{1,3})\]$/s.exec(control) ?? []
  if (list === '') {
    const object = control.replace(/~o$/, '')
    return keepTexts(texts, (name) => (isWithin(name, object) ? null : name))
  }
  const removed = Number(position)
  const kept = keepTexts(texts, (name) => {
    const index = findIndex(name, list)
    if (index === null || index < removed) return name
    if (index === removed) return null
    const before = getItemControl(list, index)
    return `${getItemControl(list, index - 1)}${name.slice(before.length)}`
  })
  return { ...kept, [getCountControl(list)]: String(Math.max(0, getItemCount(texts, list) - 1)) }
}

const isWithin = (name: string, object: string): boolean =>
  name === object || ['.', '[', '~'].some((sign) => name.startsWith(`${object}${sign}`))

function findIndex(name: string, list: string): number | null {
  if (!name.startsWith(`${list}[`)) return null
  const [, index] = /^\[(\d{1,3})\]/.exec(name.slice(list.length)) ?? []
  return index === undefined ? null : Number(index)
}

/** Keeps texts under the names that `rename` returns; null drops a text. */
function keepTexts(texts: FormTexts, rename: (name: string) => string | null): FormTexts {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => {
      const renamed = rename(name)
      return renamed === null ? [] : [[renamed, text] as const]
    }),
  )
}
