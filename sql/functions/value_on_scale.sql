-- title: A value on the scale on which systems are compared: itself, or its logarithm where that is logarithmic
-- parameters:
--   value double = null    value of a measure
--   scale varchar = null   linear, or logarithmic for measures whose mean is geometric
-- definition: On the logarithmic scale ln of the value, or of 0.00001 where it is below.
-- reference: Robertson 2006, On GMAP, doi:10.1145/1183614.1183630
case when $scale = 'logarithmic' then ln(greatest($value, 0.00001)) else $value end
