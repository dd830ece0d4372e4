import type { ImportJob } from '../../../features/imports/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import { importWords } from './words.ts'

const encodings: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}

/** Describes in words how a file is written. */
export function describeDialect(
  format: string | null,
  dialect: ImportJob['data']['dialect'],
  language: ConsoleLanguage,
): string {
  const words = importWords[language]
  const { encoding, delimiter, columns, sheet } = dialect ?? {}
  return [
    format === 'xlsx' ? 'Excel' : format?.toUpperCase(),
    sheet !== undefined ? words.sheet(sheet) : encoding && (encodings[encoding] ?? encoding),
    delimiter && words.separatedBy(words.delimiters[delimiter] ?? delimiter),
    columns !== undefined && words.columns(columns),
  ]
    .filter(Boolean)
    .join(', ')
}
