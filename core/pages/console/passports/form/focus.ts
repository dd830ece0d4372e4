import type { FieldDefinition } from '../../../../features/dpp/index.ts'
import {
  getCountControl,
  getItemControl,
  getItemCount,
  getOpenControl,
  getRestControl,
  joinControl,
  type FormTexts,
} from './controls.ts'

/** A form in which the way to a control is open. */
export interface FocusedForm {
  texts: FormTexts
  /** The control to begin with, or an object or list whose first control it is. */
  control: string
}

const isNamed = (rest: string, name: string): boolean =>
  rest === name || rest.startsWith(`${name}.`) || rest.startsWith(`${name}[`)

/**
 * Opens the objects and lists on the way to a path, so that the form has a control for it.
 * @param root the control and path of the object that the definitions are of, such as `fields`
 */
export function focusPath(
  texts: FormTexts,
  path: string,
  root: string,
  definitions: readonly FieldDefinition[],
): FocusedForm {
  if (!isNamed(path, root)) return { texts, control: path.replace(/\[.*$/s, '') }
  let focused: FocusedForm = { texts, control: root }
  let members = definitions
  let rest = path.slice(root.length)
  while (rest.startsWith('.')) {
    const tail = rest.slice(1)
    const [definition] = members
      .filter(({ name }) => isNamed(tail, name))
      .sort((one, other) => other.name.length - one.name.length)
    if (!definition) return { ...focused, control: getRestControl(root) }
    rest = tail.slice(definition.name.length)
    focused = { ...focused, control: joinControl(focused.control, definition.name) }
    const inner = openValue(focused, definition, rest)
    focused = inner.focused
    members = inner.members
    rest = inner.rest
  }
  return focused
}

function openValue(
  focused: FocusedForm,
  definition: FieldDefinition,
  rest: string,
): { focused: FocusedForm; members: readonly FieldDefinition[]; rest: string } {
  const { type, fields = [], itemsType } = definition
  const { texts, control } = focused
  if (type === 'object')
    return { focused: { texts: { ...texts, [getOpenControl(control)]: '1' }, control }, members: fields, rest }
  if (type !== 'array' || !itemsType) return { focused, members: [], rest: '' }
  const [step = '', position = ''] = /^\.?\[(\d{0,3})\]/.exec(rest) ?? []
  const index = Number(position)
  const count = Math.max(getItemCount(texts, control), index + 1)
  const item = {
    texts: { ...texts, [getCountControl(control)]: String(count) },
    control: getItemControl(control, index),
  }
  return openValue(item, itemsType, rest.slice(step.length))
}
