"""What else could one do? Calibrators of survival curves behind one interface.

A calibrator takes curves of subjects that the model did not see, what happened to them,
and curves of new subjects, and returns the latter calibrated.
"""
