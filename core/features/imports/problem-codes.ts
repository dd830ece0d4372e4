import { createCodeEntry, type ProblemCodeTable } from '../../kernel/problem-codes.ts'

/** The codes of imports and mappers. */
export const importProblemCodes = {
  IMPORT_BODY_MISSING: createCodeEntry(400, 'Nothing to import', 'The request has no body, or an empty one.'),
  IMPORT_MAPPER_REQUIRED: createCodeEntry(
    400,
    'Mapper required',
    'A CSV file has columns of its own: name the mapper that reads them.',
  ),
  IMPORT_MAPPER_FORMAT_MISMATCH: createCodeEntry(400, 'Wrong mapper', 'The mapper reads files of another format.'),
  IMPORT_MAPPER_NOT_URL: createCodeEntry(400, 'Nothing to fetch', 'Only a mapper of type url can be run.'),
  IMPORT_TOO_LARGE: createCodeEntry(400, 'File too large', 'A file to import has at most 256 MB, unpacked.'),
  IMPORT_ENCODING_INVALID: createCodeEntry(
    400,
    'Wrong encoding',
    'The file is not written in the encoding that it is said to have, or has none that can be found out.',
  ),
  IMPORT_COLUMNS_MISSING: createCodeEntry(400, 'Columns missing', 'The file lacks columns that the mapper needs.'),
  IMPORT_ROW_CAP_EXCEEDED: createCodeEntry(400, 'Too many rows', 'This installation takes fewer rows in one file.'),
  IMPORT_MAPPER_DUPLICATE_NAME: createCodeEntry(
    409,
    'Name taken',
    'The application already has a mapper of this name.',
  ),
  IMPORT_RUN_IN_PROGRESS: createCodeEntry(
    409,
    'Still running',
    'The last fetch of this mapper is still being imported.',
  ),
} as const satisfies ProblemCodeTable

declare module '../../kernel/problem-codes.ts' {
  interface ProblemCodes extends Record<keyof typeof importProblemCodes, ProblemCodeEntry> {}
}
