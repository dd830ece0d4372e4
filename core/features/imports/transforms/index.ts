export { applyTransforms, parseTransform, type Transform } from './transforms.ts'
export {
  createLazyValue,
  getCodesByCountryName,
  getCountryCodes,
  longCountryCodes,
  normalizeText,
} from './transforms.countries.ts'
export { findUnitCode, getUnitKind } from './transforms.measures.ts'
export { isMissing, limitText, toText, ValueIssue } from './transforms.types.ts'
export { granularitiesByWord } from './transforms.words.ts'
