/** Shape that values of a destination have; what a column's values look like is held against it. */
export type Shape =
  | 'text' | 'longText' | 'number' | 'date' | 'email' | 'phone' | 'url' | 'country' | 'granularity' | 'gtin' | 'boolean'

export interface Destination {
  /** Dotted path in the body that creates a passport of the product flow. */
  path: string
  /** What stands there, for people. */
  label: string
  shape: Shape
}

const to = (path: string, label: string, shape: Shape = 'text'): Destination => ({ path, label, shape })

/**
 * Where columns of a catalogue can go without anybody thinking: members of the passport, of UNTP's product, and names
 * below `data` that catalogues commonly have. A mapper may name any other path below `data` or `product` as well.
 * Source: UNTP Digital Product Passport 0.7.0, `Product`; GS1 Web Vocabulary for the names below `data`.
 */
export const destinations: readonly Destination[] = [
  to('reference', 'Your own reference of the passport, unique in the application'),
  to('allowedClaimEmail', 'E-mail address that may claim the passport', 'email'),
  to('allowedClaimPhoneNumber', 'Phone number that may claim the passport, E.164', 'phone'),
  to('certificateUri', 'Where you host the certificate yourself', 'url'),
  to('product.idGranularity', 'What it is: model, batch or item', 'granularity'),
  to('product.name', 'Name of the product'),
  to('product.description', 'Description of the product', 'longText'),
  to('product.id', 'Its own address, as a GS1 Digital Link', 'url'),
  to('product.modelNumber', 'Number of the model: article, style or part number'),
  to('product.batchNumber', 'Number of the batch or lot'),
  to('product.itemNumber', 'Serial number of the item'),
  to('product.productionDate', 'Day it was made', 'date'),
  to('product.expiryDate', 'Day it expires', 'date'),
  to('product.countryOfProduction.countryCode', 'Country it was made in, ISO 3166-1', 'country'),
  to('product.countryOfProduction.countryName', 'Name of the country it was made in'),
  to('product.producedAtFacility.id', 'Identifier of the facility it was made at', 'url'),
  to('product.producedAtFacility.name', 'Name of the facility it was made at'),
  to('product.productImage.linkURL', 'Address of a picture', 'url'),
  to('product.productImage.linkName', 'Title of the picture'),
  to('product.relatedDocument[0].linkURL', 'Address of a page or document', 'url'),
  to('product.relatedDocument[0].linkName', 'Title of the page or document'),
  to('product.productCategory[0].code', 'Code of the category in its scheme'),
  to('product.productCategory[0].name', 'Name of the category'),
  to('product.dimensions.weight.value', 'Weight', 'number'),
  to('product.dimensions.weight.unit', 'Unit of the weight'),
  to('product.dimensions.length.value', 'Length', 'number'),
  to('product.dimensions.width.value', 'Width', 'number'),
  to('product.dimensions.height.value', 'Height', 'number'),
  to('product.materialProvenance[0].name', 'Name of the main material with its own origin'),
  to('product.materialProvenance[0].massFraction', 'Share of the main material in the mass, 0 to 1', 'number'),
  to('product.materialProvenance[0].recycledMassFraction', 'Recycled share of the main material, 0 to 1', 'number'),
  to('product.gtin', 'GTIN, EAN or UPC', 'gtin'),
  to('data.sku', 'Stock keeping unit'),
  to('data.brand', 'Brand'),
  to('data.manufacturer', 'Manufacturer'),
  to('data.supplier', 'Supplier'),
  to('data.color', 'Colour'),
  to('data.size', 'Size'),
  to('data.material', 'Material or composition'),
  to('data.careInstructions', 'Care instructions', 'longText'),
  to('data.repairInstructions', 'Repair instructions', 'longText'),
  to('data.category', 'Category or product type in your own words'),
  to('data.collection', 'Collection, line or season'),
  to('data.gender', 'Target group: women, men, children'),
  to('data.price', 'Price', 'number'),
  to('data.currency', 'Currency, ISO 4217'),
  to('data.quantity', 'Quantity or stock', 'number'),
  to('data.customsTariffNumber', 'Customs tariff number, HS code'),
  to('data.warrantyMonths', 'Warranty in months', 'number'),
  to('data.carbonFootprint', 'Carbon footprint, kg CO2e', 'number'),
  to('data.certifications', 'Labels and certifications'),
]
