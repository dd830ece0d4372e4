export { type FileField, type FileSample, readFileSample, readSourceSample, sampleSize } from './samples.ts'
export { readSentSample } from './samples.text.ts'
