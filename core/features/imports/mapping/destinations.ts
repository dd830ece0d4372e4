/** The shape of the values of a destination; it is compared with what the values of a column look like. */
export type ValueShape =
  'text' | 'longText' | 'number' | 'date' | 'email' | 'phone' | 'url' | 'country' | 'granularity' | 'gtin' | 'boolean'

export interface Destination {
  /** Dotted path in the body that creates a passport of the product flow. */
  path: string
  /** The name of the destination for people. */
  label: string
  shape: ValueShape
}

const createDestination = (path: string, label: string, shape: ValueShape = 'text'): Destination => ({
  path,
  label,
  shape,
})

/**
 * The destinations that are suggested for columns of a catalogue: members of the passport, members of UNTP's product,
 * and names below `data` that catalogues commonly have. A mapper may also name any other path below `data` or
 * `product`. Source: UNTP Digital Product Passport 0.7.0, `Product`; GS1 Web Vocabulary for the names below `data`.
 */
export const destinations: readonly Destination[] = [
  createDestination('reference', 'Your own reference of the passport, unique in the application'),
  createDestination('allowedClaimEmail', 'E-mail address that may claim the passport', 'email'),
  createDestination('allowedClaimPhoneNumber', 'Phone number that may claim the passport, E.164', 'phone'),
  createDestination('certificateUri', 'Where you host the certificate yourself', 'url'),
  createDestination('product.idGranularity', 'What it is: model, batch or item', 'granularity'),
  createDestination('product.name', 'Name of the product'),
  createDestination('product.description', 'Description of the product', 'longText'),
  createDestination('product.id', 'Its own address, as a GS1 Digital Link', 'url'),
  createDestination('product.modelNumber', 'Number of the model: article, style or part number'),
  createDestination('product.batchNumber', 'Number of the batch or lot'),
  createDestination('product.itemNumber', 'Serial number of the item'),
  createDestination('product.productionDate', 'Day it was made', 'date'),
  createDestination('product.expiryDate', 'Day it expires', 'date'),
  createDestination('product.countryOfProduction.countryCode', 'Country it was made in, ISO 3166-1', 'country'),
  createDestination('product.countryOfProduction.countryName', 'Name of the country it was made in'),
  createDestination('product.producedAtFacility.id', 'Identifier of the facility it was made at', 'url'),
  createDestination('product.producedAtFacility.name', 'Name of the facility it was made at'),
  createDestination('product.productImage.linkURL', 'Address of a picture', 'url'),
  createDestination('product.productImage.linkName', 'Title of the picture'),
  createDestination('product.relatedDocument[0].linkURL', 'Address of a page or document', 'url'),
  createDestination('product.relatedDocument[0].linkName', 'Title of the page or document'),
  createDestination('product.productCategory[0].code', 'Code of the category in its scheme'),
  createDestination('product.productCategory[0].name', 'Name of the category'),
  createDestination('product.dimensions.weight.value', 'Weight', 'number'),
  createDestination('product.dimensions.weight.unit', 'Unit of the weight'),
  createDestination('product.dimensions.length.value', 'Length', 'number'),
  createDestination('product.dimensions.width.value', 'Width', 'number'),
  createDestination('product.dimensions.height.value', 'Height', 'number'),
  createDestination('product.materialProvenance[0].name', 'Name of the main material with its own origin'),
  createDestination(
    'product.materialProvenance[0].massFraction',
    'Share of the main material in the mass, 0 to 1',
    'number',
  ),
  createDestination(
    'product.materialProvenance[0].recycledMassFraction',
    'Recycled share of the main material, 0 to 1',
    'number',
  ),
  createDestination('product.gtin', 'GTIN, EAN or UPC', 'gtin'),
  createDestination('data.sku', 'Stock keeping unit'),
  createDestination('data.brand', 'Brand'),
  createDestination('data.manufacturer', 'Manufacturer'),
  createDestination('data.supplier', 'Supplier'),
  createDestination('data.color', 'Colour'),
  createDestination('data.size', 'Size'),
  createDestination('data.material', 'Material or composition'),
  createDestination('data.careInstructions', 'Care instructions', 'longText'),
  createDestination('data.repairInstructions', 'Repair instructions', 'longText'),
  createDestination('data.category', 'Category or product type in your own words'),
  createDestination('data.collection', 'Collection, line or season'),
  createDestination('data.gender', 'Target group: women, men, children'),
  createDestination('data.price', 'Price', 'number'),
  createDestination('data.currency', 'Currency, ISO 4217'),
  createDestination('data.quantity', 'Quantity or stock', 'number'),
  createDestination('data.customsTariffNumber', 'Customs tariff number, HS code'),
  createDestination('data.warrantyMonths', 'Warranty in months', 'number'),
  createDestination('data.carbonFootprint', 'Carbon footprint, kg CO2e', 'number'),
  createDestination('data.certifications', 'Labels and certifications'),
]
