// DaybookChains
