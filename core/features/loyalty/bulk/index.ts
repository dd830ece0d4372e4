export { assignmentSink } from './import.sink.ts'
