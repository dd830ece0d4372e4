import { isObject } from '../../kernel/json/values.ts'
import type { ArchiveEnd, ArchiveHead, ArchivePart, Sequence } from './archive.ts'

// Every field of a frame is checked, because an archive may come from an untrusted source.
const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isListOf =
  <T>(isOne: (value: unknown) => value is T) =>
  (value: unknown): value is T[] =>
    Array.isArray(value) && value.every(isOne)
const areTexts = isListOf(isText)

const isMigration = (value: unknown): value is ArchiveHead['migrations'][number] =>
  isObject(value) && isText(value['name']) && isText(value['checksum'])
const isSequence = (value: unknown): value is Sequence =>
  isObject(value)
  && isSchema(value['schema'])
  && isText(value['name'])
  && isText(value['value'])
  && /^-?\d{1,19}$/.test(value['value'])
const isSchema = (value: unknown): boolean => value === 'public' || value === 'signer'
const isMonth = (value: unknown): value is string => isText(value) && /^\d{4}-\d{2}-01$/.test(value)
const isKeys = (value: unknown): value is ArchiveHead['keys'] =>
  isObject(value) && areTexts(value['platform']) && areTexts(value['signer'])

export const isHead = (value: unknown): value is ArchiveHead =>
  isObject(value)
  && value['kind'] === 'tessera-backup'
  && value['format'] === 1
  && isText(value['id'])
  && isText(value['at'])
  && isListOf(isMigration)(value['migrations'])
  && isKeys(value['keys'])
  && isListOf(isMonth)(value['months'])

export const isPart = (value: unknown): value is ArchivePart =>
  isObject(value)
  && (value['kind'] === 'file'
    ? isText(value['path'])
    : value['kind'] === 'table' && isSchema(value['schema']) && isText(value['name']) && areTexts(value['columns']))

export const isEnd = (value: unknown): value is ArchiveEnd =>
  isObject(value)
  && value['kind'] === 'end'
  && isListOf(isSequence)(value['sequences'])
  && isCount(value['tables'])
  && isCount(value['rows'])
  && isCount(value['files'])
  && isText(value['sha256'])
