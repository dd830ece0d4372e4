export { validateImportedBody } from './import.schema.ts'
export { passportSink } from './import.sink.ts'
