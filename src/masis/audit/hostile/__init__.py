"""Documents that give orders to whoever reads them."""
