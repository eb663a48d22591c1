// DaybookProjections
